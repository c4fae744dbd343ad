package import Interlock
package import Hangs

/// The result of an exploration.
package enum ExplorationOutcome: Sendable, Hashable, Codable {
  /// Every order that the model distinguishes was executed, and none failed.
  ///
  /// It holds for the controlled calls under sequential consistency, and only if no call escaped.
  /// Sleeps and limits end late, waits wake up without a signal, and pools have any width, but for
  /// the limits. Atomics are points in code that is built for the check of memory, plain accesses
  /// if they race.
  case allOrdersPass(count: Int, leftBehind: Int, limits: ExplorationLimits = ExplorationLimits())
  /// Some orders were executed, and none failed: all within the bound, if there is one.
  case sampled(count: Int, leftBehind: Int, escaped: [String], bound: ExplorationBound? = nil)
  /// An execution failed. Indirect: a passing outcome, of which there may be many, stays small.
  indirect case failed(ExplorationFailure)
}

/// A part of the orders that was executed as a whole: those with at most a number of preemptions.
///
/// A preemption is a switch away from a thread or a task that could have continued. Most bugs need
/// one or two (Musuvathi and Qadeer, "Iterative Context Bounding", PLDI 2007).
package struct ExplorationBound: Sendable, Hashable, Codable {
  /// The largest number of preemptions.
  package var preemptions: Int
  /// How many orders there are.
  package var orders: Int

  /// `all 12 orders with at most 1 preemption`.
  package var description: String {
    let bound = preemptions == 0 ? "no" : "at most \(preemptions)"
    return "\(orders == 1 ? "the only order" : "all \(orders) orders") with \(bound)"
      + " preemption\(preemptions == 1 ? "" : "s")"
  }
}

/// What a claim of all orders leaves out.
package struct ExplorationLimits: Sendable, Hashable, Codable {
  /// Times are exact, as an option asked: no sleep ends late.
  package var hasExactTime = false
  /// Atomics follow the weak memory model, as an option asked.
  package var hasWeakMemory = false
  /// Atomics were sequentially consistent where the code asks for less.
  package var strengthensAtomics = false
  /// A loop that sleeps was held back after a few times in a row.
  package var boundsSleeps = false
  /// A loop that yields was held back after a few times in a row.
  package var boundsYields = false
  /// A loop that waits for an atomic was held back until another thread changed what it reads.
  package var boundsLoops = false
  /// A thread that woke without a signal waited for the same condition again.
  package var boundsWakeUps = false
  /// A `weakCompareExchange` that had failed by itself did not do so again.
  package var boundsExchanges = false
  /// The source of a compare-exchange could not be read, and it did not fail by itself.
  package var hasUnreadExchanges = false
  /// A wait for expectations timed out only when no thread could continue, or ended behind blocks
  /// of the main queue.
  package var boundsWaiters = false
  /// Pools have this width, as an option asked; `nil` for any.
  package var poolWidth: Int?
  /// A task can block its thread, and not every order on narrow pools was tried.
  package var leavesOutNarrowPools = false
  /// Executions find the state that earlier ones have left behind.
  package var keepsState = false

  /// Nothing is left out.
  package init() {}

  /// Adds what another part of the orders leaves out.
  package mutating func formUnion(_ other: Self) {
    hasExactTime = hasExactTime || other.hasExactTime
    hasWeakMemory = hasWeakMemory || other.hasWeakMemory
    strengthensAtomics = strengthensAtomics || other.strengthensAtomics
    boundsSleeps = boundsSleeps || other.boundsSleeps
    boundsYields = boundsYields || other.boundsYields
    boundsLoops = boundsLoops || other.boundsLoops
    boundsWakeUps = boundsWakeUps || other.boundsWakeUps
    boundsExchanges = boundsExchanges || other.boundsExchanges
    hasUnreadExchanges = hasUnreadExchanges || other.hasUnreadExchanges
    boundsWaiters = boundsWaiters || other.boundsWaiters
    poolWidth = poolWidth ?? other.poolWidth
    keepsState = keepsState || other.keepsState
    leavesOutNarrowPools = leavesOutNarrowPools || other.leavesOutNarrowPools
  }

  /// What is left out, a part of a sentence for each.
  package var words: [String] {
    // A sum of these conditions took the type checker half a minute.
    var words: [String] = []
    if hasExactTime { words.append("with exact times") }
    if hasWeakMemory { words.append("with atomics of the weak memory model RC11") }
    if strengthensAtomics {
      words.append("with sequentially consistent atomics where the code asks for weaker ones")
    }
    if let poolWidth {
      words.append("on a pool of \(poolWidth) thread\(poolWidth == 1 ? "" : "s")")
    }
    if boundsSleeps || boundsYields {
      let waits = boundsSleeps ? boundsYields ? "sleeps or yields" : "sleeps" : "yields"
      words.append("a loop that \(waits) was held back after 3 times in a row")
    }
    if boundsLoops {
      words.append("a loop that waits for an atomic goes on once another thread changes it")
    }
    if boundsWakeUps {
      words.append("a thread wakes without a signal at most once at each call site")
    }
    if boundsExchanges {
      words.append("a weakCompareExchange fails by itself at most once at each call site")
    }
    if hasUnreadExchanges {
      words.append("an exchange whose source cannot be read never fails by itself")
    }
    if boundsWaiters {
      words.append("waits for expectations end last, behind the queued blocks of the main queue")
    }
    if leavesOutNarrowPools {
      words.append("a task can block, and not all orders of narrow pools were tried")
    }
    if keepsState {
      words.append(
        "executions found what earlier ones had left behind, such as a static variable")
    }
    return words
  }
}

/// An execution that failed, with the shortest schedule found that fails in the same way.
package struct ExplorationFailure: Sendable, Hashable, Codable {
  /// How an execution failed.
  package enum Verdict: Sendable, Hashable, Codable {
    /// The body reported a failure.
    case failed
    /// No thread could continue, and no timer was left.
    case deadlock
    /// The execution reached the limit of steps.
    case livelock
    /// A step took longer than its limit: it neither ended nor made a call that is controlled.
    case timedOut
    /// A trap or another signal.
    case crashed(signal: Int)
    /// A call that the system answers with a trap.
    case misuse
    /// The same choices led to other steps.
    case notDeterministic
    /// Two sections conflict, or two accesses of memory: see `race` and `memoryRace`.
    case race
  }

  /// How it failed.
  package var verdict: Verdict
  /// What the engine or the body reported.
  package var text: String
  /// The line of the body that failed, as in `File.swift:12`, and the thread that ran then.
  package var place: String?
  package var thread = 0
  /// The same choices passed when they were tried again.
  package var isUnrepeatable = false
  /// The first execution of the body failed, and after it all orders passed.
  package var isOnlyFirst = false
  /// Why the token's schedule was not followed to its end; `nil` where it was.
  package var divergence: String?
  /// The steps of the shortest failing execution.
  package var schedule: Schedule
  /// Of a deadlock: the width of a pool whose workers all wait while blocks are queued, which is
  /// starvation.
  package var dryPoolWidth: Int?
  /// The narrow pool on which it failed; `nil` for the pool that the options ask for.
  package var narrowPool: NarrowPool?
  /// Why no thread can continue: of a deadlock, and `self` of a call that traps because its thread
  /// would wait for itself; `nil` if it is not known.
  package var cause: Diagnosis.Cause?
  /// Of a deadlock: the cause in words, with what each thread holds and waits for. Of a race in
  /// memory: how many orders of its accesses passed.
  package var explanation: [String] = []
  /// Of a race of sections: both sides.
  package var race: ExplorationRace?
  /// A race in memory, where the process checks that: both sides. It failed the execution, or its
  /// accesses are points of it.
  package var memoryRace: MemoryRace?
  /// The short text that replays the schedule.
  package var token: String
  /// Where the failing order came from.
  package var origin: Origin
  /// The calls that were not controlled, in the executions up to the one that failed.
  package var escaped: [String] = []
}

extension ExplorationFailure {
  /// Where an order came from.
  package enum Origin: Sendable, Hashable, Codable {
    /// The search: its number, from 1.
    case order(Int)
    /// A file that an earlier run has written.
    case kept
    /// A token.
    case token
  }

  /// The number of executed orders, the failing one included; 0 for an order of an earlier run.
  package var execution: Int {
    switch origin {
    case .order(let number): number
    case .kept: 0
    case .token: 1
    }
  }

  /// A pool that tasks, or blocks beside tasks, can use up, because they block their threads.
  package struct NarrowPool: Sendable, Hashable, Codable {
    /// The number of its threads.
    package var width: Int
    /// Dispatch's blocks have the same threads.
    package var isShared = false
    /// A width at which all orders pass; `nil` if none is known.
    package var sufficientWidth: Int?
    /// Some order fails at each smaller width.
    package var sufficientIsSmallest = false
  }

  /// The schedule would fail again: its choices alone led to the failure.
  var canBeKept: Bool {
    // An order is kept without the width, and with each of its steps.
    if isUnrepeatable || narrowPool != nil || schedule.leftOut != nil { return false }
    switch verdict {
    case .failed, .deadlock, .crashed, .misuse: return true
    default: return false
    }
  }
}

/// What sampling has reached, estimated by Good and Turing's rule.
///
/// Orders that no strategy of the sampling can produce do not count. The estimate is too high while
/// some orders are much less probable than others.
package struct ExplorationEstimate: Sendable, Hashable, Codable {
  /// The share of the orders that sampling can produce, weighed by their probability: 0 to 1.
  package var share: Double
  /// The number of different orders that were executed.
  package var distinct: Int
}

/// Why nothing was explored, in one line.
package struct ExplorationRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason.
  package var description: String

  /// The system has no more processes.
  static let noChild = Self(description: "no child process could be made")
}
