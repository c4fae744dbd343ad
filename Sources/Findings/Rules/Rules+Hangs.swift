package import Hangs

extension Rule {
  /// Processes that make no progress.
  static let hangs: [Rule] =
    [.cycle, .selfWait, .starvation, .lostWakeUp, .suspended, .abandonedLock, .deadlock, .hang]

  /// The rule for a hang with this cause.
  package static func deadlock(_ cause: Diagnosis.Cause?) -> Rule {
    switch cause {
    case .cycle: .cycle
    case .`self`: .selfWait
    case .starvation: .starvation
    case .lostWakeUp: .lostWakeUp
    case .suspended: .suspended
    case .abandonedLock: .abandonedLock
    case .unknown, nil: .deadlock
    }
  }

  static let cycle = Rule(
    "deadlock-cycle", "Each of several threads, queues or tasks waits for the next.",
    meaning: """
      The wait-for graph has a cycle: every owner in it holds what the previous one waits for. No \
      thread outside can end it.
      """,
    example: """
      // thread 1                     // thread 2
      a.lock(); b.lock()              b.lock(); a.lock()
      """,
    remedy: """
      Acquire the locks in one order everywhere, or hold only one at a time. Do not call \
      `queue.sync` while a lock is held that the queue's blocks acquire.
      """)

  static let selfWait = Rule(
    "deadlock-self", "A thread waits for itself.",
    meaning: """
      The thread acquires a lock that it holds, or calls `sync` on a queue whose block it runs. \
      libdispatch traps at the latter; a mutex waits for ever.
      """,
    example: "queue.sync { queue.sync { count += 1 } }",
    remedy: """
      Split the function: a public one that acquires, and a private one that expects the lock to \
      be held. Call only the private one from inside.
      """)

  static let starvation = Rule(
    "deadlock-starvation", "All threads of a pool wait for work that is queued behind them.",
    meaning: """
      A pool has a largest number of threads (the task pool: one for each processor). All wait, \
      and what they wait for needs a thread of the same pool.
      """,
    example: """
      for url in urls {                       // more of them than processors
        Task { semaphore.wait(); … }          // blocks a thread of the task pool
      }
      Task { await load(); semaphore.signal() }   // never gets one
      """,
    remedy: """
      Do not block a pool thread: await instead of `semaphore.wait()`, `group.notify` instead of \
      `group.wait`. Where a wait is needed, use a thread of your own. More threads only move the \
      limit; `interlock pool` measures it.
      """)

  static let lostWakeUp = Rule(
    "deadlock-lost-wake-up",
    "A thread waits for a signal, and no thread is left that could send it.",
    meaning: """
      The signal was sent before the wait began and is not remembered, or the path that sends it \
      was not taken.
      """,
    example: """
      // waiter                          // signaller
      if !isReady {                      isReady = true
        condition.wait()                 condition.signal()   // before the wait
      }
      """,
    remedy: """
      Test and wait under the lock that protects the state, in a loop; change the state under the \
      same lock before the signal. Signal on every path, also on errors: use `defer`.
      """)

  static let suspended = Rule(
    "deadlock-suspended", "A task's continuation was never resumed, and no thread can run.",
    meaning: """
      A task is suspended at an `await`, and no thread, timer or event is left that could resume \
      it.
      """,
    example: """
      await withCheckedContinuation { continuation in
        guard let cache else { return }   // no resume on this path
        cache.load { continuation.resume(returning: $0) }
      }
      """,
    remedy: "Resume the continuation exactly once on every path, also on errors and cancellation.")

  static let abandonedLock = Rule(
    "deadlock-abandoned-lock", "A lock's owner ended, or went on, without having released it.",
    meaning: "Threads wait for a lock that no thread will release.",
    example: """
      lock.lock()
      guard let value = entries[key] else { throw Missing() }   // the lock stays locked
      lock.unlock()
      """,
    remedy: "Use `withLock { }`, or `defer { lock.unlock() }` in the line after the lock.")

  package static let deadlock = Rule(
    "deadlock", "No thread can go on, for a reason that is not known.",
    meaning: """
      Every thread is blocked, and not all calls that wait were seen (another build, unseen \
      code), so the cause is undecided.
      """,
    example: "A library that waits by a system call of its own.",
    remedy: """
      Look at the stacks of the report. `interlock doctor` shows which calls this build sees; a \
      build that sees all of them names the cause.
      """)

  package static let hang = Rule(
    "hang", "Nothing has happened for as long as the limit allows.",
    meaning: """
      No thread ran, waited for another object or got work, and the watchdog's limit was reached. \
      It does not prove a deadlock: the process may wait for another process.
      """,
    example: "A test that reads from a socket to which no peer writes.",
    remedy: "Look at the stacks of the report; give the wait a time limit of its own.")
}
