import Dispatch
import Foundation
import LockStrategies
import Synchronization
import Testing

private struct Refusal: Error, Equatable {
  var code: Int
}

/// The checks that every strategy passes.
@Suite("Every lock strategy", .hangLimit)
struct LockConformanceTests {
  @Test("Every lock strategy returns what the body returns", arguments: LockCase.all)
  func result(_ strategy: LockCase) {
    let lock = strategy.make()
    #expect(lock.withLock { 7 } == 7)
    #expect(lock.withSharedLock { "seven" } == "seven")
  }

  @Test("Every lock strategy rethrows an error, and is free afterwards", arguments: LockCase.all)
  func error(_ strategy: LockCase) {
    let lock = strategy.make()
    #expect(throws: Refusal(code: 1)) { try lock.withLock { throw Refusal(code: 1) } }
    #expect(throws: Refusal(code: 2)) { try lock.withSharedLock { throw Refusal(code: 2) } }
    #expect(lock.withLock { true })
  }

  @Test("Every lock strategy admits one caller at a time", arguments: LockCase.excluding)
  func exclusion(_ strategy: LockCase) async {
    let lock = strategy.make()
    let traffic = Traffic()
    await onThreads(4) { _ in
      visit { lock.withLock { traffic.write() } }
    }
    #expect(traffic.collisions == 0)
    #expect(traffic.writes == 8_000)
  }

  @Test("Every lock strategy keeps readers and writers apart", arguments: LockCase.excluding)
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

  @Test(
    "Every lock strategy without shared access admits one reader at a time",
    arguments: LockCase.exclusive)
  func exclusiveReaders(_ strategy: LockCase) async {
    let lock = strategy.make()
    let traffic = Traffic()
    await onThreads(4) { _ in
      visit { lock.withSharedLock { traffic.write() } }
    }
    #expect(traffic.collisions == 0)
    #expect(traffic.writes == 8_000)
  }

  @Test(
    "Every lock strategy with shared access admits readers together",
    arguments: LockCase.shared)
  func sharedReaders(_ strategy: LockCase) async {
    let lock = strategy.make()
    let inside = Rendezvous(of: 3)
    // The test ends only if all three readers overlap.
    await onThreads(3) { _ in lock.withSharedLock { inside.meet() } }
  }
}

/// Properties of single strategies.
@Suite("A lock strategy", .hangLimit)
struct LockPeculiarityTests {
  @Test("NoLock excludes no caller")
  func noLock() async {
    let lock = NoLock()
    let inside = Rendezvous(of: 2)
    await onThreads(2) { _ in lock.withLock { inside.meet() } }
    // The checks above must detect the overlaps that NoLock allows.
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

  @Test("the owner of the recursive lock may acquire it again")
  func recursion() {
    let lock = RecursiveFoundationLock()
    #expect(lock.withLock { lock.withLock { lock.withSharedLock { 3 } } } == 3)
  }

  @Test("Mutex traps with a message when its owner acquires it again")
  func mutexRecursion() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let lock = StandardLibraryMutexLock()
      lock.withLock { lock.withLock {} }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Recursive call to lock Mutex"))
  }

  @Test("the serial queue traps when its owner acquires it again")
  func serialQueueRecursion() async {
    await #expect(processExitsWith: .failure) {
      let lock = SerialQueueLock()
      lock.withLock { lock.withLock {} }
    }
  }
}

/// Calls `body` repeatedly, and yields from time to time, so that no thread ends before the next
/// one runs.
private func visit(_ body: () -> Void) {
  for turn in 0..<2_000 {
    body()
    if turn % 16 == 0 { sched_yield() }
  }
}

/// Counts callers in the critical section. A collision is a caller that overlaps a writer.
///
/// Calls are shorter than a scheduler's time slice, so that threads could run one after another and
/// never overlap. Some calls therefore stay inside until another caller overlaps, or until all
/// callers have had time to try. Atomics, so that a broken lock gives a wrong number.
private final class Traffic: Sendable {
  /// A duration, because each yield may take a time slice on a busy machine.
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

  /// Raises the number of writes in two steps, so that overlapping writers lose some updates.
  func write() {
    writersInside.add(1, ordering: .sequentiallyConsistent)
    let count = writeCount.load(ordering: .relaxed)
    if Self.isLong(count) { stay { isBeside } }
    if isBeside { collide() }
    writeCount.store(count + 1, ordering: .relaxed)
    writersInside.subtract(1, ordering: .sequentiallyConsistent)
  }

  /// True if another caller overlaps a writer.
  private var isBeside: Bool {
    writersInside.load(ordering: .sequentiallyConsistent) > 1
      || readersInside.load(ordering: .sequentiallyConsistent) != 0
  }

  private func stay(until isOverlapped: () -> Bool) {
    let end = ContinuousClock.now + Self.patience
    while !isOverlapped(), ContinuousClock.now < end { sched_yield() }
  }

  private func collide() { collisionCount.add(1, ordering: .relaxed) }

  var collisions: Int { collisionCount.load(ordering: .relaxed) }
  var reads: Int { readCount.load(ordering: .relaxed) }
  var writes: Int { writeCount.load(ordering: .relaxed) }
}
