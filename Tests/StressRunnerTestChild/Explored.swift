import Dispatch
import Foundation
import StressRunner
import Synchronization

/// Subjects whose fault needs an order, and their repaired twins, for explorations.
let exploredSubjects: [SubjectEntry] = [
  explored("lost-update") { Counter(isAtomic: false) },
  explored("kept-update") { Counter(isAtomic: true) },
  explored("checks-a-lost-update") { CheckingCounter() },
  explored("traps-in-one-order") { TrapsInOneOrder() },
  explored("random-locks") { RandomLocks() },
  explored("chance-locks") { ChanceLocks() },
  explored("locks-in-the-order-of-a-set") { LocksInTheOrderOfASet() },
  explored("global-locks") { GlobalLocks() },
  explored("global-trap") { GlobalTrap() },
]

private func explored(
  _ name: String, _ make: @escaping @Sendable () -> any Subject
) -> SubjectEntry {
  SubjectEntry(name: name, summary: "is explored", actions: ["run"], make: make)
}

private func isRun(_ kind: StressRunner.Operation.Kind) -> Bool { kind == .action("run") }

/// A counter that adds one under the lock in one step, or in two.
private final class Counter: Subject {
  private let lock = NSLock()
  private let isAtomic: Bool
  // Accessed under the lock only.
  nonisolated(unsafe) private var count = 0
  nonisolated(unsafe) private var calls = 0

  init(isAtomic: Bool) { self.isAtomic = isAtomic }

  func supports(_ kind: StressRunner.Operation.Kind) -> Bool { isRun(kind) }

  func perform(_ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void)
  {
    if isAtomic {
      lock.withLock { (count, calls) = (count + 1, calls + 1) }
    } else {
      let old = lock.withLock { count }
      lock.withLock { (count, calls) = (old + 1, calls + 1) }
    }
    completion(.done)
  }

  func finalState() -> FinalState? {
    var state = FinalState(count: 0, entries: [:])
    state.totals = [.init("the counter", claimed: count, counted: calls)]
    return state
  }
}

/// A counter whose call itself checks that its update was not lost.
private final class CheckingCounter: Subject {
  private let lock = NSLock()
  // Accessed under the lock only.
  nonisolated(unsafe) private var count = 0

  func supports(_ kind: StressRunner.Operation.Kind) -> Bool { isRun(kind) }

  func perform(_ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void)
  {
    let old = lock.withLock { count }
    let isKept = lock.withLock {
      defer { count = old + 1 }
      return count == old
    }
    completion(isKept ? .done : .failed("the counter had changed since it was read"))
  }
}

/// Traps if another caller comes between two locked steps.
private final class TrapsInOneOrder: Subject {
  private let lock = NSLock()
  // Accessed under the lock only.
  nonisolated(unsafe) private var users = 0

  func supports(_ kind: StressRunner.Operation.Kind) -> Bool { isRun(kind) }

  func perform(_ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void)
  {
    lock.withLock { users += 1 }
    lock.withLock { precondition(users == 1, "two users") }
    lock.withLock { users -= 1 }
    completion(.done)
  }
}

/// Locks a number of times that differs from execution to execution.
private final class RandomLocks: Subject {
  private static let executions = Atomic(0)

  func supports(_ kind: StressRunner.Operation.Kind) -> Bool { isRun(kind) }

  func perform(_ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void)
  {
    let lock = NSLock()
    // One more lock than in the previous execution.
    let times = Self.executions.add(1, ordering: .relaxed).newValue
    for _ in 0..<times { lock.withLock {} }
    completion(.done)
  }
}

/// Locks or tries in the pattern of a random number: two executions almost never agree.
private final class ChanceLocks: Subject {
  func supports(_ kind: StressRunner.Operation.Kind) -> Bool { isRun(kind) }

  func perform(_ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void)
  {
    // Each bit is a try or a lock. That all 64 bits agree twice is improbable enough.
    let lock = NSLock()
    for bit in String(UInt64.random(in: 0...UInt64.max), radix: 2) {
      if bit == "1" { _ = lock.try() } else { lock.lock() }
      lock.unlock()
    }
    completion(.done)
  }
}

/// Locks or tries in the order of a set's elements, and fails in any order.
private final class LocksInTheOrderOfASet: Subject {
  private let lock = NSLock()
  private let texts = Set((0..<16).map { "\($0 % 2 == 0) \($0)" })

  func supports(_ kind: StressRunner.Operation.Kind) -> Bool { isRun(kind) }

  func perform(_ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void)
  {
    for text in texts {
      if text.hasPrefix("true") {
        lock.withLock {}
      } else if lock.try() {
        lock.unlock()
      }
    }
    completion(.failed("it always does"))
  }
}

/// Locks once more in each execution of a process than in the one before: state that outlives it.
private final class GlobalLocks: Subject {
  private static let executions = Atomic(0)
  private let lock = NSLock()
  private let times = GlobalLocks.executions.add(1, ordering: .relaxed).newValue

  func supports(_ kind: StressRunner.Operation.Kind) -> Bool { isRun(kind) }

  func perform(_ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void)
  {
    for _ in 0..<times { lock.withLock {} }
    completion(.done)
  }
}

/// Traps if another caller comes between two locked steps. Later executions find the count changed.
private final class GlobalTrap: Subject {
  // Accessed under the lock only; executions run one after another.
  nonisolated(unsafe) private static var users = 0
  private let lock = NSLock()

  func supports(_ kind: StressRunner.Operation.Kind) -> Bool { isRun(kind) }

  func perform(_ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void)
  {
    lock.withLock { Self.users += 1 }
    lock.withLock { precondition(Self.users == 1, "two users") }
    lock.withLock { Self.users -= 1 }
    completion(.done)
  }
}
