import Dispatch
import Foundation
import LockStrategies
import Synchronization
import Testing

private struct Refusal: Error, Equatable {
  var code: Int
}

/// What every strategy must do.
@Suite("Every lock strategy", .timeLimit(.minutes(10)))
struct LockConformanceTests {
  @Test("gives back what the body gives", arguments: LockCase.all)
  func result(_ strategy: LockCase) {
    let lock = strategy.make()
    #expect(lock.withLock { 7 } == 7)
    #expect(lock.withSharedLock { "seven" } == "seven")
  }

  @Test("passes an error on, and is free afterwards", arguments: LockCase.all)
  func error(_ strategy: LockCase) {
    let lock = strategy.make()
    #expect(throws: Refusal(code: 1)) { try lock.withLock { throw Refusal(code: 1) } }
    #expect(throws: Refusal(code: 2)) { try lock.withSharedLock { throw Refusal(code: 2) } }
    #expect(lock.withLock { true })
  }

  @Test("lets one in at a time", arguments: LockCase.excluding)
  func exclusion(_ strategy: LockCase) async {
    let lock = strategy.make()
    let traffic = Traffic()
    await onThreads(4) { _ in
      visit { lock.withLock { traffic.write() } }
    }
    #expect(traffic.collisions == 0)
    #expect(traffic.writes == 8_000)
  }

  @Test("keeps readers and writers apart", arguments: LockCase.excluding)
  func readersAndWriters(_ strategy: LockCase) async {
    let lock = strategy.make()
    let traffic = Traffic()
    await onThreads(4) { thread in
      visit {
        if thread < 2 {
          lock.withSharedLock { traffic.read() }
        } else {
          lock.withLock { traffic.write() }
        }
      }
    }
    #expect(traffic.collisions == 0)
    #expect(traffic.reads == 4_000)
    #expect(traffic.writes == 4_000)
  }

  @Test("lets one reader in at a time where it knows no readers", arguments: LockCase.exclusive)
  func exclusiveReaders(_ strategy: LockCase) async {
    let lock = strategy.make()
    let traffic = Traffic()
    await onThreads(4) { _ in
      visit { lock.withSharedLock { traffic.write() } }
    }
    #expect(traffic.collisions == 0)
    #expect(traffic.writes == 8_000)
  }

  @Test("lets readers in together where it knows them", arguments: LockCase.shared)
  func sharedReaders(_ strategy: LockCase) async {
    let lock = strategy.make()
    let inside = Rendezvous(of: 3)
    // Ends only if all three are inside at once.
    await onThreads(3) { _ in lock.withSharedLock { inside.meet() } }
  }
}

/// What only some do.
@Suite("A lock strategy", .timeLimit(.minutes(10)))
struct LockPeculiarityTests {
  @Test("NoLock excludes nobody")
  func noLock() async {
    let lock = NoLock()
    let inside = Rendezvous(of: 2)
    await onThreads(2) { _ in lock.withLock { inside.meet() } }
    // The checks above have eyes: they see what this one lets happen.
    let writers = Traffic()
    await onThreads(4) { _ in
      visit { lock.withLock { writers.write() } }
    }
    #expect(writers.collisions > 0)
    let both = Traffic()
    await onThreads(2) { thread in
      visit {
        if thread == 0 {
          lock.withSharedLock { both.read() }
        } else {
          lock.withLock { both.write() }
        }
      }
    }
    #expect(both.collisions > 0)
  }

  @Test("the recursive one may be entered again by the thread that is in")
  func recursion() {
    let lock = RecursiveFoundationLock()
    #expect(lock.withLock { lock.withLock { lock.withSharedLock { 3 } } } == 3)
  }

  @Test("Mutex traps when it is entered again, with a message")
  func mutexRecursion() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let lock = StandardLibraryMutexLock()
      lock.withLock { lock.withLock {} }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Recursive call to lock Mutex"))
  }

  @Test("the serial queue traps when it is entered again")
  func serialQueueRecursion() async {
    await #expect(processExitsWith: .failure) {
      let lock = SerialQueueLock()
      lock.withLock { lock.withLock {} }
    }
  }
}

/// Calls `body` again and again, and offers the processor now and then, so that no thread has had
/// all its turns before the next one runs.
private func visit(_ body: () -> Void) {
  for turn in 0..<2_000 {
    body()
    if turn % 16 == 0 { sched_yield() }
  }
}

/// Counts who is inside. A collision is somebody beside a writer.
///
/// Calls are shorter than a scheduler's turn: threads would run one after the other, and meet by
/// luck. So now and then one stays inside until somebody comes in beside it, or long enough for
/// everybody to have tried. Atomics, so that a broken lock gives a wrong number and not undefined
/// behaviour.
private final class Traffic: Sendable {
  /// By the clock: on a loaded machine each offer of the processor may take a scheduler's turn.
  private static let patience = Duration.microseconds(300)

  private static func isLong(_ turn: Int) -> Bool { turn < 20 || turn % 64 == 0 }

  private let readersInside = Atomic<Int>(0)
  private let writersInside = Atomic<Int>(0)
  private let collisionCount = Atomic<Int>(0)
  private let readCount = Atomic<Int>(0)
  private let writeCount = Atomic<Int>(0)

  func read() {
    readersInside.add(1, ordering: .sequentiallyConsistent)
    let turn = readCount.add(1, ordering: .relaxed).oldValue
    if Self.isLong(turn) {
      stay { writersInside.load(ordering: .sequentiallyConsistent) != 0 }
    }
    if writersInside.load(ordering: .sequentiallyConsistent) != 0 { collide() }
    readersInside.subtract(1, ordering: .sequentiallyConsistent)
  }

  /// The number of writes is raised in two steps, so that two writers at once lose some.
  func write() {
    writersInside.add(1, ordering: .sequentiallyConsistent)
    let count = writeCount.load(ordering: .relaxed)
    if Self.isLong(count) { stay { isBeside } }
    if isBeside { collide() }
    writeCount.store(count + 1, ordering: .relaxed)
    writersInside.subtract(1, ordering: .sequentiallyConsistent)
  }

  /// Whether somebody is beside a writer.
  private var isBeside: Bool {
    writersInside.load(ordering: .sequentiallyConsistent) > 1
      || readersInside.load(ordering: .sequentiallyConsistent) != 0
  }

  private func stay(until somebodyIsThere: () -> Bool) {
    let end = ContinuousClock.now + Self.patience
    while !somebodyIsThere(), ContinuousClock.now < end { sched_yield() }
  }

  private func collide() { collisionCount.add(1, ordering: .relaxed) }

  var collisions: Int { collisionCount.load(ordering: .relaxed) }
  var reads: Int { readCount.load(ordering: .relaxed) }
  var writes: Int { writeCount.load(ordering: .relaxed) }
}
