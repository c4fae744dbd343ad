import Dispatch
import Foundation
import Synchronization
import Testing

// Published flaky tests, each with its repair: a clock, a loop on its own thread, a continuation
// with two callers, and an actor that is entered again.

/// A clock whose time changes only when a test advances it.
private final class TestClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero

    func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }
    func duration(to other: Self) -> Duration { other.offset - offset }
    static func < (one: Self, other: Self) -> Bool { one.offset < other.offset }
  }

  private struct State {
    var now = Instant()
    var sleeping: [(deadline: Instant, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  var now: Instant { state.withLock(\.now) }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    await withCheckedContinuation { continuation in
      let isPast = state.withLock { state in
        if deadline > state.now { state.sleeping.append((deadline, continuation)) }
        return deadline <= state.now
      }
      if isPast { continuation.resume() }
    }
  }

  func advance(by duration: Duration) {
    let ended = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let ended = state.sleeping.filter { $0.deadline <= state.now }
      state.sleeping.removeAll { $0.deadline <= state.now }
      return ended
    }
    for sleep in ended { sleep.continuation.resume() }
  }
}

/// Source: Prowl (onevcat), pull request 633: the task computes its deadline when it starts, and
/// the test advances the clock before that.
private struct Debouncer {
  let clock: TestClock
  let anchorsDeadline: Bool

  func schedule(_ action: @escaping @Sendable () -> Void) -> Task<Void, any Error> {
    let deadline = clock.now.advanced(by: .milliseconds(100))
    return Task {
      if anchorsDeadline {
        try await clock.sleep(until: deadline, tolerance: nil)
      } else {
        try await clock.sleep(for: .milliseconds(100))
      }
      action()
    }
  }
}

/// An event loop on its own thread.
///
/// Source: swift-nio, issue 1445: the test in which another thread cancels a repeated task traps,
/// since a task is scheduled on a loop that has shut down.
private final class EventLoop: @unchecked Sendable {  // The condition guards the variables.
  private let condition = NSCondition()
  private var jobs: [@Sendable () -> Void] = []
  private var isShutDown = false
  private let ended = DispatchSemaphore(value: 0)

  func start() {
    Thread.detachNewThread { [self] in
      while let job = next() { job() }
      ended.signal()
    }
  }

  private func next() -> (@Sendable () -> Void)? {
    condition.withLock {
      while jobs.isEmpty && !isShutDown { condition.wait() }
      return isShutDown ? nil : jobs.removeFirst()
    }
  }

  func execute(_ job: @escaping @Sendable () -> Void) {
    condition.withLock {
      precondition(!isShutDown, "the event loop has shut down")
      jobs.append(job)
      condition.signal()
    }
  }

  func shutDown() {
    condition.withLock {
      isShutDown = true
      condition.signal()
    }
    ended.wait()
  }
}

private final class RepeatedTask: Sendable {
  private let loop: EventLoop
  private let isCancelled = Mutex(false)

  init(on loop: EventLoop) { self.loop = loop }

  func begin(_ body: @escaping @Sendable () -> Void) {
    loop.execute { [self] in
      Thread.sleep(forTimeInterval: 0.001)
      if isCancelled.withLock({ $0 }) { return }
      body()
      begin(body)
    }
  }

  func cancel() { isCancelled.withLock { $0 = true } }

  /// Cancels the task between two of its runs.
  func cancelOnLoop() {
    let done = DispatchSemaphore(value: 0)
    loop.execute { [self] in
      cancel()
      done.signal()
    }
    done.wait()
  }
}

/// A connection to a radio. The radio's answer or a cancellation ends a request.
///
/// Source: Meshtastic-Apple, pull request 1755: the continuation is forgotten after it is resumed.
private final class Connection: Sendable {
  private let waiting = Mutex<CheckedContinuation<Bool, Never>?>(nil)
  private let radio = DispatchQueue(label: "radio")
  private let forgetsFirst: Bool

  init(forgetsFirst: Bool) { self.forgetsFirst = forgetsFirst }

  func configure() async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiting.withLock { $0 = continuation }
        radio.async { self.end(true) }
      }
    } onCancel: {
      end(false)
    }
  }

  private func end(_ isConfigured: Bool) {
    let continuation = waiting.withLock { continuation in
      defer { if forgetsFirst { continuation = nil } }
      return continuation
    }
    continuation?.resume(returning: isConfigured)
    if !forgetsFirst { waiting.withLock { $0 = nil } }
  }
}

/// Makes images, and counts them.
private actor Server {
  private var images = 0

  func download() -> Int {
    images += 1
    return images
  }
}

/// A cache of an image, which may change during a download.
///
/// Source: SwiftLint, issue 4883, which asks for a rule against such actors.
private actor ImageCache {
  private var image: Int?
  private let server = Server()
  private let looksAgain: Bool

  init(looksAgain: Bool) { self.looksAgain = looksAgain }

  func load() async -> Int {
    if let image { return image }
    let downloaded = await server.download()
    if looksAgain, let image { return image }
    image = downloaded
    return downloaded
  }
}

extension STPublished {
  // MARK: A clock that is advanced before the task sleeps

  private func debounce(anchorsDeadline: Bool) async throws {
    let clock = TestClock()
    let debouncer = Debouncer(clock: clock, anchorsDeadline: anchorsDeadline)
    let fired = Mutex(false)
    let task = debouncer.schedule { fired.withLock { $0 = true } }
    await Task.yield()
    clock.advance(by: .milliseconds(100))
    try await task.value
    #expect(fired.withLock { $0 })
  }

  @Test func advancesEarly() async throws { try await debounce(anchorsDeadline: false) }
  @Test func advancesEarlyRepaired() async throws { try await debounce(anchorsDeadline: true) }

  // MARK: A repeated task on a loop that shuts down

  private func repeatOnce(_ cancel: (RepeatedTask) -> Void) {
    let loop = EventLoop()
    loop.start()
    let task = RepeatedTask(on: loop)
    let ran = DispatchSemaphore(value: 0)
    task.begin { ran.signal() }
    ran.wait()
    cancel(task)
    loop.shutDown()
  }

  @Test func schedulesLate() { repeatOnce { $0.cancel() } }
  @Test func schedulesLateRepaired() { repeatOnce { $0.cancelOnLoop() } }

  // MARK: A continuation with two callers

  private func cancelRequest(_ connection: Connection) async {
    let request = Task { await connection.configure() }
    await Task.yield()
    request.cancel()
    _ = await request.value
  }

  @Test func resumesTwice() async { await cancelRequest(Connection(forgetsFirst: false)) }
  @Test func resumesTwiceRepaired() async { await cancelRequest(Connection(forgetsFirst: true)) }

  // MARK: An actor that is entered again

  private func loadTwice(_ cache: ImageCache) async {
    let prefetched = Task { await cache.load() }
    let shown = await cache.load()
    #expect(await prefetched.value == shown)
  }

  @Test func entersAgain() async { await loadTwice(ImageCache(looksAgain: false)) }
  @Test func entersAgainRepaired() async { await loadTwice(ImageCache(looksAgain: true)) }
}
