import Synchronization
import Testing

// Published flaky tests, rebuilt from their descriptions, each with its repair. As tests, all of
// them usually pass.

/// Invocations of a local server, which wait for the answers to their requests.
///
/// Source: swift-aws-lambda-runtime, issue 630 and pull request 631: the suite hung in 10 % of its
/// runs, and invocations failed when another one was cancelled.
private final class AnswerPool: Sendable {
  private struct State {
    var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    /// The requests that ended before a task waited for them; true for those that were answered.
    var ended: [Int: Bool] = [:]
  }

  private let state = Mutex(State())
  private let cancelsAll: Bool

  init(cancelsAll: Bool) { self.cancelsAll = cancelsAll }

  /// Returns whether the request was answered; `false` if it was cancelled.
  func answer(to request: Int) async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ended = state.withLock { state in
          if state.ended[request] == nil { state.waiting[request] = continuation }
          return state.ended[request]
        }
        if let ended { continuation.resume(returning: ended) }
      }
    } onCancel: {
      let others = state.withLock { state in
        defer { if cancelsAll { state.waiting = [:] } }
        return cancelsAll ? Array(state.waiting.values) : []
      }
      end(request, isAnswer: false)
      for continuation in others { continuation.resume(returning: false) }
    }
  }

  /// Ends a request, even before a task waits for it.
  func end(_ request: Int, isAnswer: Bool) {
    let continuation = state.withLock { state in
      if state.ended[request] == nil { state.ended[request] = isAnswer }
      return state.waiting.removeValue(forKey: request)
    }
    continuation?.resume(returning: isAnswer)
  }
}

/// The status of a model, which a task of the main actor copies from a stream.
///
/// Source: localvoxtral, pull request 76: the test yields once before it looks at the text.
@MainActor private final class StatusModel {
  private(set) var text = "installing"
  private var wait: CheckedContinuation<Void, Never>?

  func mirror(_ statuses: AsyncStream<String>) async {
    for await status in statuses {
      text = status
      wait?.resume()
      wait = nil
    }
  }

  /// Suspends until the text differs.
  func change(from old: String) async {
    if text == old { await withCheckedContinuation { wait = $0 } }
  }
}

/// A channel whose senders wait for a receiver.
///
/// Source: swift-async-algorithms, issue 142 and pull request 143: after a cancellation its state
/// is still "receivers are waiting", without one.
private actor Channel {
  private enum State {
    case idle
    case receiving([Int: CheckedContinuation<Int?, Never>])
  }

  private var state = State.idle
  private var cancelled: Set<Int> = []
  private var sent: [Int] = []
  private let becomesIdle: Bool

  init(becomesIdle: Bool) { self.becomesIdle = becomesIdle }

  func receive(as id: Int) async -> Int? {
    if cancelled.contains(id) { return nil }
    if !sent.isEmpty { return sent.removeFirst() }
    return await withCheckedContinuation { continuation in
      var waiting: [Int: CheckedContinuation<Int?, Never>] = [:]
      if case .receiving(let others) = state { waiting = others }
      waiting[id] = continuation
      state = .receiving(waiting)
    }
  }

  func cancel(_ id: Int) {
    cancelled.insert(id)
    guard case .receiving(var waiting) = state else { return }
    waiting.removeValue(forKey: id)?.resume(returning: nil)
    state = waiting.isEmpty && becomesIdle ? .idle : .receiving(waiting)
  }

  func send(_ value: Int) throws {
    switch state {
    case .idle: sent.append(value)
    case .receiving(var waiting):
      guard let (id, receiver) = waiting.min(by: { $0.key < $1.key }) else { throw NoReceiver() }
      waiting[id] = nil
      state = waiting.isEmpty ? .idle : .receiving(waiting)
      receiver.resume(returning: value)
    }
  }
}

private struct NoReceiver: Error {}

/// An audit and a transition of a screen, which take turns on the main actor.
///
/// Source: scyther, pull request 80: the test begins both as child tasks, whose hops to the main
/// actor come in any order.
@MainActor private final class Screen {
  private(set) var events: [String] = []

  func audit() async {
    await Task.yield()
    events.append("audit")
  }

  func transition() { events.append("transition") }
}

/// A sequence that begins its work with the first call of `next`.
///
/// Source: swift-async-algorithms, pull request 250: a cancellation before that call is a state
/// that the machine does not expect.
private final class LateSequence: Sendable {
  private enum State { case initial, running, finished }

  private let state = Mutex(State.initial)
  private let expectsEarlyCancellation: Bool

  init(expectsEarlyCancellation: Bool) {
    self.expectsEarlyCancellation = expectsEarlyCancellation
  }

  func next() async -> Int? {
    await withTaskCancellationHandler {
      state.withLock { state in
        if state == .finished { return nil }
        state = .running
        return 1
      }
    } onCancel: {
      state.withLock { state in
        precondition(state != .initial || expectsEarlyCancellation, "not running")
        state = .finished
      }
    }
  }
}

@Suite struct STPublished {
  // MARK: An unrelated request is cancelled

  private func cancelOneOfTwo(_ pool: AnswerPool) async {
    let first = Task { await pool.answer(to: 1) }
    let second = Task { await pool.answer(to: 2) }
    first.cancel()
    pool.end(2, isAnswer: true)
    #expect(await second.value)
    _ = await first.value
  }

  @Test func cancelsOthers() async { await cancelOneOfTwo(AnswerPool(cancelsAll: true)) }
  @Test func cancelsOthersRepaired() async { await cancelOneOfTwo(AnswerPool(cancelsAll: false)) }

  // MARK: One yield before the check

  @MainActor private func mirror(_ waits: Bool) async {
    let model = StatusModel()
    let (statuses, input) = AsyncStream.makeStream(of: String.self)
    let task = Task { await model.mirror(statuses) }
    input.yield("downloading")
    if waits { await model.change(from: "installing") } else { await Task.yield() }
    #expect(model.text == "downloading")
    input.finish()
    await task.value
  }

  @Test func yieldsOnce() async { await mirror(false) }
  @Test func yieldsOnceRepaired() async { await mirror(true) }

  // MARK: A receiver that is cancelled

  private func cancelReceiver(_ channel: Channel) async throws {
    let receiver = Task { await channel.receive(as: 1) }
    await channel.cancel(1)
    try await channel.send(5)
    #expect(await receiver.value == nil)
    #expect(await channel.receive(as: 2) == 5)
  }

  @Test func noReceiver() async throws { try await cancelReceiver(Channel(becomesIdle: false)) }
  @Test func noReceiverRepaired() async throws {
    try await cancelReceiver(Channel(becomesIdle: true))
  }

  // MARK: Hops to the main actor in the order of the source

  @Test @MainActor func hopsInOrder() async {
    let screen = Screen()
    async let audit: Void = screen.audit()
    async let transition: Void = screen.transition()
    _ = await (audit, transition)
    #expect(screen.events == ["transition", "audit"])
  }

  @Test @MainActor func hopsInOrderRepaired() async {
    let screen = Screen()
    let audit = Task { await screen.audit() }
    let transition = Task { screen.transition() }
    _ = await (audit.value, transition.value)
    #expect(screen.events == ["transition", "audit"])
  }

  // MARK: A cancellation before the first call

  private func cancelEarly(_ sequence: LateSequence) async {
    let task = Task { await sequence.next() }
    task.cancel()
    let value = await task.value
    #expect(value == nil || value == 1)
  }

  @Test func cancelledEarly() async {
    await cancelEarly(LateSequence(expectsEarlyCancellation: false))
  }
  @Test func cancelledEarlyRepaired() async {
    await cancelEarly(LateSequence(expectsEarlyCancellation: true))
  }
}
