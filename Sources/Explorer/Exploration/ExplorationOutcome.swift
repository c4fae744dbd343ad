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

  /// The execution that failed; `nil` if none did.
  package var failure: ExplorationFailure? {
    if case .failed(let failure) = self { failure } else { nil }
  }
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
    /// No thread could continue, and no timer was left. The cause is `nil` if it is unknown.
    case deadlock(Diagnosis.Cause?)
    /// The execution reached the limit of steps, or a loop waits for a value forever.
    case livelock
    /// A step exceeded its time limit: it neither ended nor made a controlled call.
    case timedOut
    /// A trap or another signal ended the execution.
    case crashed(signal: Int)
    /// A call that the system answers with a trap.
    case misuse
    /// A call that would wait for its own thread, to which the system answers with a trap.
    case selfWait
    /// The same choices led to different steps.
    case notDeterministic
    /// Two sections or two accesses of memory conflict. `nil` if the process of the execution ended
    /// before it could describe them.
    case race(ExploredRace?)
  }

  /// The result of executing the choices of the failure again.
  package enum Repetition: Sendable, Hashable, Codable {
    /// The choices fail in the same way, or were not executed again.
    case fails
    /// The choices pass.
    case passes
    /// All orders pass: only the first execution of the body failed.
    case allOrdersPass
    /// The execution fails, but departs from the token's schedule, for this reason.
    case departs(String)
  }

  /// How it failed.
  package var verdict: Verdict
  /// The report of the engine or the body.
  package var text: String
  /// The line of the body that failed, as in `File.swift:12`, and the thread that ran it.
  package var place: String?
  package var thread = 0
  /// The result of executing the choices again.
  package var repetition = Repetition.fails
  /// The steps of the shortest failing execution.
  package var schedule: Schedule
  /// The width of a pool whose workers all wait while blocks are queued, once no thread can
  /// continue; `nil` for none. Other verdicts than a deadlock can have it: a loop may be among what
  /// waits, and the body may have failed before.
  package var dryPoolWidth: Int?
  /// The narrow pool on which the order failed; `nil` for the pool of the options.
  package var narrowPool: NarrowPool?
  /// The explanation of any failure: the cause of a deadlock with what each thread holds and waits
  /// for, the number of orders that passed, and what else may cause the failure.
  package var explanation: [String] = []
  /// A memory race of an execution that failed for another reason: its accesses are points, and do
  /// not fail the execution. `nil` if the verdict is a race.
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

  /// Why no thread can continue; `self` for a call that would wait for its own thread; otherwise
  /// `nil`, also if the cause is unknown.
  package var cause: Diagnosis.Cause? {
    if dryPoolWidth != nil { return .starvation }
    switch verdict {
    case .deadlock(let cause): return cause
    case .selfWait: return .`self`
    default: return nil
    }
  }

  /// The race of the execution, also beside another verdict.
  package var race: ExploredRace? {
    if case .race(let race) = verdict { race } else { memoryRace.map(ExploredRace.memory) }
  }

  /// True if the schedule alone determines the failure, so that the corpus can keep it.
  var canBeKept: Bool {
    // The corpus keeps no pool width, and needs every step.
    guard repetition == .fails, narrowPool == nil, schedule.leftOut == nil else { return false }
    switch verdict {
    case .failed, .deadlock, .crashed, .misuse, .selfWait: return true
    default: return false
    }
  }
}

extension ExplorationFailure {
  /// The keys of records whose verdicts have no evidence.
  private enum EarlierKeys: CodingKey {
    case cause, race, isUnrepeatable, isOnlyFirst, divergence
  }

  /// Decodes a failure, also one of an earlier record.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func value<Value: Decodable>(_ key: CodingKeys) throws -> Value? {
      try values.decodeIfPresent(Value.self, forKey: key)
    }
    try self.init(
      verdict: values.decode(Verdict.self, forKey: .verdict), text: value(.text) ?? "",
      place: value(.place), thread: value(.thread) ?? 0, repetition: value(.repetition) ?? .fails,
      schedule: values.decode(Schedule.self, forKey: .schedule), dryPoolWidth: value(.dryPoolWidth),
      narrowPool: value(.narrowPool), explanation: value(.explanation) ?? [],
      memoryRace: value(.memoryRace), token: values.decode(String.self, forKey: .token),
      origin: values.decode(Origin.self, forKey: .origin), escaped: value(.escaped) ?? [])
    if !values.contains(.repetition) { try add(decoder.container(keyedBy: EarlierKeys.self)) }
  }

  private mutating func add(_ earlier: KeyedDecodingContainer<EarlierKeys>) throws {
    let cause = try earlier.decodeIfPresent(Diagnosis.Cause.self, forKey: .cause)
    switch verdict {
    case .deadlock: verdict = .deadlock(cause)
    case .misuse where cause == .`self`: verdict = .selfWait
    case .race:
      let sections = try earlier.decodeIfPresent(SectionRace.self, forKey: .race)
      verdict = .race(sections.map(ExploredRace.sections) ?? memoryRace.map(ExploredRace.memory))
      memoryRace = nil
    default: break
    }
    if let reason = try earlier.decodeIfPresent(String.self, forKey: .divergence) {
      repetition = .departs(reason)
    } else if try earlier.decode(Bool.self, forKey: .isUnrepeatable) {
      let isOnlyFirst = try earlier.decode(Bool.self, forKey: .isOnlyFirst)
      repetition = isOnlyFirst ? .allOrdersPass : .passes
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
