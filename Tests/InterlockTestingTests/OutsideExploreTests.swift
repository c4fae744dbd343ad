import Explorer
import Foundation
import InterlockTesting
import Synchronization
import TestSupport
import Testing

/// Code that runs beside an exploration, in the same process, and is not part of the body.
@Suite("explore leaves what the body did not make", .serialized, .controlled)
struct OutsideExploreTests {
  /// Two threads that take one lock: few orders, and all pass.
  private static func lockTwice(_ lock: NSLock = NSLock()) {
    let group = DispatchGroup()
    for _ in 0..<2 { DispatchQueue.global().async(group: group) { lock.withLock {} } }
    group.wait()
  }

  /// Takes its elements outside the body, with more calls each time. If the calls were part of the
  /// body, executions would differ from each other.
  private final class Consumer: Sendable {
    private let lock = NSLock()
    private let count = Atomic(0)
    private let explored = Atomic(0)

    func take() {
      for _ in 0...count.add(1, ordering: .relaxed).oldValue % 5 { lock.withLock {} }
      if Exploration.isExplored { explored.add(1, ordering: .relaxed) }
    }

    var taken: Int { count.load(ordering: .relaxed) }
    var takenAsExplored: Int { explored.load(ordering: .relaxed) }
  }

  /// Explores a body that gives the stream an element in each execution.
  private func explore(feeding feed: AsyncStream<Int>.Continuation) async -> String? {
    await failure(ofAsync: {
      feed.yield(1)
      await withTaskGroup(of: Void.self) { group in
        let lock = NSLock()
        for _ in 0..<2 { group.addTask { lock.withLock {} } }
      }
    })
  }

  @Test("a task made before the body, which the body resumes, runs on the real pool")
  func resumedTask() async {
    let (values, feed) = AsyncStream.makeStream(of: Int.self)
    let consumer = Consumer()
    let outside = Task.detached { for await _ in values { consumer.take() } }
    #expect(await explore(feeding: feed) == nil)
    feed.finish()
    await outside.value
    #expect(consumer.taken > 0)
    #expect(consumer.takenAsExplored == 0)
  }

  private actor Isolated {
    func take(_ values: AsyncStream<Int>, _ consumer: Consumer) async {
      for await _ in values { consumer.take() }
    }
  }

  @Test("a task on an actor made before the body, which the body resumes, runs on the real pool")
  func resumedTaskOnActor() async {
    let (values, feed) = AsyncStream.makeStream(of: Int.self)
    let consumer = Consumer()
    let actor = Isolated()
    let outside = Task.detached { await actor.take(values, consumer) }
    #expect(await explore(feeding: feed) == nil)
    feed.finish()
    await outside.value
    #expect(consumer.taken > 0)
    #expect(consumer.takenAsExplored == 0)
  }

  private actor Tally {
    private var count = 0
    func add() { count += 1 }
  }

  @Test("an actor that tasks outside the body keep busy is no deadlock of the body's tasks")
  func sharedActor() async {
    let counter = Tally()
    let outside = (0..<2).map { _ in
      Task.detached {
        while !Task.isCancelled {
          await counter.add()
          await Task.yield()
        }
      }
    }
    let text = await failure(ofAsync: {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 { group.addTask { await counter.add() } }
      }
    })
    for task in outside { task.cancel() }
    for task in outside { await task.value }
    #expect(text == nil)
  }

  @Test("the body's signal wakes an outside thread that waits for an earlier semaphore")
  func semaphore() throws {
    let wanted = DispatchSemaphore(value: 0), hasWoken = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      wanted.wait()
      hasWoken.signal()
    }
    // A signal wakes the thread if the thread has begun to wait.
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end, hasWoken.wait(timeout: .now()) == .timedOut {
      #expect(failure { wanted.signal() } == nil)
    }
    #expect(ContinuousClock.now < end)
    wanted.signal()
  }

  /// A thread that takes a lock for a moment at each request of the body.
  private final class Holder: Sendable {
    let lock = NSLock()
    private let asked = Atomic(0)
    private let held = Atomic(0)

    init() {
      Thread.detachNewThread { [self] in
        var turn = 1
        while true {
          // Acquire and release, here and below: each side waits for the other's store.
          let asked = asked.load(ordering: .acquiring)
          if asked < 0 { return }
          guard asked >= turn else { continue }
          lock.withLock {
            held.store(turn, ordering: .releasing)
            // Long enough for the body to reach the lock, if it does.
            Thread.sleep(forTimeInterval: 0.02)
          }
          turn += 1
        }
      }
    }

    /// Returns once the other thread holds the lock.
    func hold() {
      let turn = asked.add(1, ordering: .acquiringAndReleasing).newValue
      while held.load(ordering: .acquiring) < turn {}
    }

    func end() { asked.store(-1, ordering: .releasing) }
  }

  @Test("a lock that a thread outside the body holds now and then is free to the body")
  func lock() {
    let holder = Holder()
    defer { holder.end() }
    let executions = Atomic(0)
    let text = withUnsafePointer(to: executions) { executions in
      nonisolated(unsafe) let executions = executions
      return failure {
        let isHeld = executions.pointee.add(1, ordering: .relaxed).newValue % 2 == 0
        let group = DispatchGroup()
        for _ in 0..<2 { DispatchQueue.global().async(group: group) { holder.lock.withLock {} } }
        if isHeld { holder.hold() }
        OutsideExploreTests.lockTwice()
        group.wait()
      }
    }
    #expect(text == nil)
  }

  @Test("a thread outside the body that waits for a Mutex of the body gets it")
  func mutex() throws {
    let mutex = UnsafeMutablePointer<Mutex<Int>>.allocate(capacity: 1)
    mutex.initialize(to: Mutex(0))
    nonisolated(unsafe) let shared = mutex
    let isAsked = Flag(), hasLocked = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      while !isAsked.isSet { sched_yield() }
      shared.pointee.withLock { $0 += 1 }
      hasLocked.signal()
    }
    let executions = Atomic(0)
    let text = withUnsafePointer(to: executions) { executions in
      nonisolated(unsafe) let executions = executions
      return failure {
        let isFirst = executions.pointee.add(1, ordering: .relaxed).oldValue == 0
        shared.pointee.withLock { _ in
          guard isFirst else { return }
          isAsked.set()
          // The kernel marks the word of a Mutex that a thread waits for.
          let isWaitedFor = UInt32(1) << 31
          let word = UnsafeRawPointer(shared)
          let end = ContinuousClock.now + .seconds(60)
          while word.load(as: UInt32.self) & isWaitedFor == 0, ContinuousClock.now < end {}
        }
      }
    }
    #expect(text == nil)
    let ends = hasLocked.wait(timeout: .now() + 60)
    #expect(ends == .success)
    guard ends == .success else { return }
    mutex.deinitialize(count: 1)
    mutex.deallocate()
  }

  private actor Counter {
    private var count = 0
    func add() { count += 1 }
  }

  /// Keeps tasks, actors, queues, streams and expectations of other tests busy.
  private static func makeNoise(until isOver: @escaping @Sendable () -> Bool) -> Task<Void, Never> {
    Task.detached {
      let actors = [Counter(), Counter()]
      let queue = DispatchQueue(label: "outside")
      await withTaskGroup(of: Void.self) { group in
        for index in 0..<4 {
          group.addTask {
            while !isOver() {
              for actor in actors { await actor.add() }
              await Task.detached { await actors[index % 2].add() }.value
              await withCheckedContinuation { continuation in
                queue.async { continuation.resume() }
              }
              withKnownIssue(isIntermittent: true) { #expect(Bool(true)) }
              await Task.yield()
            }
          }
        }
      }
    }
  }

  @Test("explorations beside busy tasks, actors, queues and expectations agree with themselves")
  func busy() async {
    let isOver = Flag()
    let noise = Self.makeNoise { isOver.isSet }
    for _ in 0..<20 {
      let text = await failure(
        .executions(200),
        ofAsync: {
          let counter = Counter()
          await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 { group.addTask { await counter.add() } }
          }
          #expect(Bool(true))
          OutsideExploreTests.lockTwice()
        })
      #expect(text == nil)
    }
    isOver.set()
    await noise.value
  }

  private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
  }
}
