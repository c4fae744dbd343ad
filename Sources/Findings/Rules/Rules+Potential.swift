package import Prediction

extension Rule {
  /// Predicted faults: they did not occur in this run.
  static let potentials: [Rule] = PotentialFinding.Kind.allCases.map(potential)

  /// The rule of a kind of predicted finding.
  package static func potential(_ kind: PotentialFinding.Kind) -> Rule {
    switch kind {
    case .lockOrder: lockOrder
    case .blockingWaitInTask: blockingWaitInTask
    case .callbackUnderLock: callbackUnderLock
    case .lockAcrossAwait: lockAcrossAwait
    case .longHold: longHold
    case .abandonedLock: leftLocked
    case .relock: relock
    case .race: unordered
    }
  }

  private static let lockOrder = Rule(
    "potential-lock-order", level: .warning, "Locks are acquired in orders that can deadlock.",
    meaning: """
      Two or more owners acquired the same locks in different orders, at times that did not \
      overlap in this run. Where they overlap, each waits for the other.
      """,
    example: "transfer(from: a, to: b) locks a, then b; transfer(from: b, to: a) locks b, then a.",
    remedy: "Acquire the locks in one order everywhere, for example by an identifier.")

  private static let blockingWaitInTask = Rule(
    "potential-blocking-wait-in-task", level: .warning,
    "A task blocks a thread of the pool that all tasks share.",
    meaning: """
      With as many such tasks as processors, no task can run, not even the one that they wait for.
      """,
    example: "Task { semaphore.wait() }",
    remedy: "Await a continuation, an AsyncStream or the task itself.")

  private static let callbackUnderLock = Rule(
    "potential-callback-under-lock", level: .warning,
    "A completion is called while a lock is held.",
    meaning: "The callback can acquire a lock whose owner waits for this one.",
    example: "lock.withLock { delegate?.didEvict(key) }",
    remedy: "Copy what the callback needs, release the lock, then call it.")

  private static let lockAcrossAwait = Rule(
    "potential-lock-across-await", level: .warning,
    "A task leaves its thread, at an await or at its end, with a lock locked.",
    meaning:
      "The lock belongs to the thread. Another one may resume the task, and unlock a lock that it"
      + " does not hold; if the task has ended, the lock stays locked.",
    example: "lock.lock(); await save(); lock.unlock()",
    remedy: "Release the lock before the await, or use an actor.")

  private static let longHold = Rule(
    "potential-long-hold", level: .warning, "A lock was held for longer than the given limit.",
    meaning: "Other threads that need the lock wait for as long.",
    example: "lock.withLock { try data.write(to: file) }",
    remedy: "Do the slow work outside the lock.")

  private static let leftLocked = Rule(
    "potential-abandoned-lock", level: .warning,
    "A lock was left locked: its thread, its block or the process has ended.",
    meaning: "The next thread that acquires it waits for ever.",
    example: "lock.lock(); if isEmpty { return }",
    remedy: "Use `withLock { }`, or `defer { lock.unlock() }`.")

  private static let relock = Rule(
    "potential-relock", level: .warning,
    "A thread tried to acquire a lock that it held, was refused, and then unlocked it twice.",
    meaning: "The second unlock releases a lock that another thread may hold by then.",
    example: "_ = lock.try(); defer { lock.unlock() }, in a function that is called under the lock",
    remedy: "Unlock only if the try succeeded.")

  private static let unordered = Rule(
    "potential-race", level: .warning,
    "Two accesses to one resource that no observed event orders.",
    meaning: """
      The accesses did not overlap in this run, but no lock, queue, task or signal orders the \
      second after the first: another run can overlap them.
      """,
    example: "A field is set on one thread and read on another, and only time lies between them.",
    remedy: """
      Hold one lock in both, or start the reader after the write: by a task, a queue, a join.
      """)
}
