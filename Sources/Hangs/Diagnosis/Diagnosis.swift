/// Why a process hangs: the wait-for graph of a snapshot, its cause, and what would end the hang.
///
/// A pure function of the snapshot. The cause is *certain* if nothing that the process could still
/// do ends the hang. This is decided by reducing a resource graph (Holt, "Some Deadlock Properties
/// of Computer Systems", 1972): the reduction removes, step by step, each thread that may continue
/// and each thread that such a thread may wake. The remaining threads are deadlocked.
///
/// A diagnosis has no text. It refers to threads, tasks and objects by their numbers in the
/// snapshot; `Explanation` formats it with the names and the symbols that the snapshot has by then.
package struct Diagnosis: Sendable, Hashable, Codable {
  /// Why no thread can continue.
  package enum Cause: String, Sendable, Hashable, Codable, CaseIterable {
    /// Each of several threads or queues waits for the next.
    case cycle
    /// A thread waits for itself.
    case `self`
    /// All threads that a pool may have wait for work queued behind them on that pool.
    case starvation
    /// No thread is left that could send the signal.
    case lostWakeUp = "lost-wake-up"
    /// A task's continuation was never resumed, and no thread can run.
    case suspended
    /// A lock's owner has ended, or is idle now, without having released it.
    case abandonedLock = "abandoned-lock"
    /// Unknown.
    case unknown
  }

  /// The cause, with the threads and objects that belong to it.
  package var evidence: Evidence
  /// The certainty of the cause; if it is not certain, the reason.
  package var certainty: Certainty
  /// A change that ends the hang, and the condition under which the code is safe; `nil` if
  /// unknown.
  package var advice: Advice?
  /// The nodes of the graph.
  package var nodes: [Node]
  /// The edges of the graph.
  package var edges: [Edge]

  /// Describes a cause.
  package init(
    evidence: Evidence, certainty: Certainty = .certain, advice: Advice? = nil, nodes: [Node] = [],
    edges: [Edge] = []
  ) {
    self.evidence = evidence
    self.certainty = certainty
    self.advice = advice
    self.nodes = nodes
    self.edges = edges
  }

  /// The kind of the cause.
  package var cause: Cause { evidence.cause }

  /// True if nothing that the process could still do ends the hang.
  package var isCertain: Bool { certainty.isCertain }

  /// The number of threads that a dry pool would need; `nil` if unknown, and for other causes.
  package var pool: PoolForecast? {
    if case .starvation(let pool) = evidence { pool.forecast } else { nil }
  }
}
