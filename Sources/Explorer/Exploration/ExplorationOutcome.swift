package import Interlock
package import Hangs

/// The result of an exploration.
package enum ExplorationOutcome: Sendable, Hashable, Codable {
  /// Every order that the model distinguishes was executed, and none failed.
  ///
  /// The claim covers controlled calls under sequential consistency, and only if no call escaped.
  /// Sleeps and limits may end late, waits may wake up spuriously, and pools may have any width,
  /// except for what `limits` lists. Atomics are points in code compiled for the memory check;
  /// plain accesses are points if they race.
  case allOrdersPass(count: Int, leftBehind: Int, limits: ExplorationLimits = ExplorationLimits())
  /// Some orders were executed, and none failed; all orders within `bound`, if that is set.
  case sampled(count: Int, leftBehind: Int, escaped: [String], bound: ExplorationBound? = nil)
  /// An execution failed. Indirect keeps the other cases small: many of those may be stored.
  indirect case failed(ExplorationFailure)
}

/// A set of orders that was executed completely: those with at most a number of preemptions.
///
/// A preemption is a switch away from a thread or a task that could have continued. Most bugs need
/// one or two (Musuvathi and Qadeer, "Iterative Context Bounding", PLDI 2007).
package struct ExplorationBound: Sendable, Hashable, Codable {
  /// The most preemptions in an order.
  package var preemptions: Int
  /// The number of orders within the bound.
  package var orders: Int

  /// `all 12 orders with at most 1 preemption`.
  package var description: String {
    let bound = preemptions == 0 ? "no" : "at most \(preemptions)"
    return "\(orders == 1 ? "the only order" : "all \(orders) orders") with \(bound)"
      + " preemption\(preemptions == 1 ? "" : "s")"
  }
}

/// The limits of the claim "all orders pass".
package struct ExplorationLimits: Sendable, Hashable, Codable {
  /// Times are exact because an option asks for it: no sleep ends late.
  package var hasExactTime = false
  /// Atomics follow the weak memory model because an option asks for it.
  package var hasWeakMemory = false
  /// Atomics were sequentially consistent although the code asks for weaker orders.
  package var strengthensAtomics = false
  /// A sleeping loop was held back after a few sleeps in a row.
  package var boundsSleeps = false
  /// A yielding loop was held back after a few yields in a row.
  package var boundsYields = false
  /// A loop that reads an atomic was held back until another thread changed the value.
  package var boundsLoops = false
  /// A thread that woke up spuriously waits for the same condition again.
  package var boundsWakeUps = false
  /// A `weakCompareExchange` failed spuriously once only.
  package var boundsExchanges = false
  /// A compare-exchange whose source could not be read never failed spuriously.
  package var hasUnreadExchanges = false
  /// A wait for expectations timed out only when no thread could continue, or ended only after
  /// blocks of the main queue.
  package var boundsWaiters = false
  /// The pool width that an option sets; `nil` for any width.
  package var poolWidth: Int?
  /// A task can block its thread, and not all orders on narrow pools were tried.
  package var leavesOutNarrowPools = false
  /// Executions share a process, and find the state that earlier ones left behind.
  package var keepsState = false

  /// Creates limits that leave nothing out.
  package init() {}

  /// Adds the limits of another part of the orders.
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

  /// One phrase for each limit.
  package var words: [String] {
    // Appended one by one: a single expression took the type checker half a minute.
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
    /// A step exceeded its time limit: it neither ended nor made a controlled call.
    case timedOut
    /// A trap or another signal ended the execution.
    case crashed(signal: Int)
    /// A call that the system answers with a trap.
    case misuse
    /// The same choices led to different steps.
    case notDeterministic
    /// Two sections conflict, or two accesses of memory: see `race` and `memoryRace`.
    case race
  }

  /// How it failed.
  package var verdict: Verdict
  /// What the engine or the body reported.
  package var text: String
  /// The line of the body that failed, as in `File.swift:12`, and the thread that ran it.
  package var place: String?
  package var thread = 0
  /// True if the same choices passed when they were executed again.
  package var isUnrepeatable = false
  /// True if only the first execution of the body failed, and all orders passed after it.
  package var isOnlyFirst = false
  /// Why the execution departed from the token's schedule; `nil` if it followed the schedule.
  package var divergence: String?
  /// The steps of the shortest failing execution.
  package var schedule: Schedule
  /// The width of a pool whose workers all wait while blocks are queued: the deadlock is a
  /// starvation. `nil` for other deadlocks.
  package var dryPoolWidth: Int?
  /// The narrow pool on which the order failed; `nil` for the pool of the options.
  package var narrowPool: NarrowPool?
  /// Why no thread can continue. Set for a deadlock, and to `self` for a call that traps because
  /// its thread would wait for itself. `nil` if unknown.
  package var cause: Diagnosis.Cause?
  /// The explanation: for a deadlock, its cause and what each thread holds and waits for; for a
  /// memory race, the number of orders of its accesses that passed.
  package var explanation: [String] = []
  /// Both sides of a race of sections.
  package var race: ExplorationRace?
  /// Both sides of a memory race, if the process checks memory. The race failed the execution, or
  /// its accesses are points of it.
  package var memoryRace: MemoryRace?
  /// A short text that replays the schedule.
  package var token: String
  /// The source of the failing order.
  package var origin: Origin
  /// The uncontrolled calls of all executions up to the failing one.
  package var escaped: [String] = []
}

extension ExplorationFailure {
  /// The source of an order.
  package enum Origin: Sendable, Hashable, Codable {
    /// The search; the number of the order, from 1.
    case order(Int)
    /// The corpus file of an earlier run.
    case kept
    /// A token.
    case token
  }

  /// The number of orders executed, including passing ones; 0 for a kept order.
  package var execution: Int {
    switch origin {
    case .order(let number): number
    case .kept: 0
    case .token: 1
    }
  }

  /// A pool that tasks, or blocks beside tasks, can exhaust by blocking its threads.
  package struct NarrowPool: Sendable, Hashable, Codable {
    /// The number of threads of the pool.
    package var width: Int
    /// True if tasks and Dispatch blocks share the threads.
    package var isShared = false
    /// A width at which all orders pass; `nil` if none is known.
    package var sufficientWidth: Int?
    /// True if some order fails at each smaller width.
    package var sufficientIsSmallest = false
  }

  /// True if the schedule alone determines the failure, so that the corpus can keep it.
  var canBeKept: Bool {
    // The corpus keeps no pool width, and needs every step.
    if isUnrepeatable || narrowPool != nil || schedule.leftOut != nil { return false }
    switch verdict {
    case .failed, .deadlock, .crashed, .misuse: return true
    default: return false
    }
  }
}

/// An estimate of how much sampling has reached, by the Good-Turing rule.
///
/// It ignores orders that no sampling strategy can produce, and is too high while some orders are
/// much less probable than others.
package struct ExplorationEstimate: Sendable, Hashable, Codable {
  /// The share of the producible orders that were executed, weighted by probability: 0 to 1.
  package var share: Double
  /// The number of distinct orders executed.
  package var distinct: Int
}

/// The reason why nothing was explored, in one line.
package struct ExplorationRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason.
  package var description: String

  /// `fork` has failed.
  static let noChild = Self(description: "no child process could be made")
}
