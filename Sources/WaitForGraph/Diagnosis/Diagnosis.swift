package import Interlock

/// Why a process cannot go on: the wait-for graph of a snapshot, its cause, and what would free it.
///
/// A pure function of the snapshot. The cause is *certain* if nothing that the process could still
/// do ends it. The decision is the reduction of a resource graph (Holt, "Some Deadlock Properties
/// of Computer Systems", 1972): it removes, step by step, each thread that may go on and each that
/// these may wake. The threads that remain can never go on.
package struct Diagnosis: Sendable, Hashable, Codable {
  /// Why no thread can go on.
  package enum Cause: String, Sendable, Hashable, Codable, CaseIterable {
    /// Each of several threads or queues waits for the next.
    case cycle
    /// A thread waits for itself.
    case `self`
    /// All threads that a pool may have wait for work that is queued behind them on that pool.
    case starvation
    /// No thread is left that could send the signal.
    case lostWakeUp = "lost-wake-up"
    /// A task's continuation was never resumed, and nothing is left to run.
    case suspended
    /// A lock's owner ended, or went on, without releasing it.
    case abandonedLock = "abandoned-lock"
    /// Not known.
    case unknown
  }

  /// A thread, a lock, a queue, a pool: threads that do the same share a node.
  package struct Node: Sendable, Hashable, Codable {
    /// What a node stands for.
    package enum Kind: String, Sendable, Hashable, Codable {
      case thread, lock, queue, semaphore, group, condition, pool, task, blocks, other
    }
    /// Its identifier among the nodes: `t4711`, `q0x7f…`, `pool default`.
    package var id: String
    /// What it stands for.
    package var kind: Kind
    /// How many it stands for: threads with equal stacks that wait for one object, or queued blocks
    /// from one place.
    package var count: Int
    /// Its title: `thread 4711 "main"`, `queue "cache" (serial)`.
    package var title: String
    /// More lines.
    package var details: [String]
    /// The call site in the user's code; `nil` for none.
    package var place: StackFrame?
    /// The stack of a thread, innermost first.
    package var stack: [StackFrame]
    /// Whether it belongs to the cycle, or to the dry pool.
    package var isMarked: Bool

    /// Describes a node.
    package init(
      id: String, kind: Kind, count: Int = 1, title: String, details: [String] = [],
      place: StackFrame? = nil, stack: [StackFrame] = [], isMarked: Bool = false
    ) {
      self.id = id
      self.kind = kind
      self.count = count
      self.title = title
      self.details = details
      self.place = place
      self.stack = stack
      self.isMarked = isMarked
    }
  }

  /// A dependency between two nodes.
  package struct Edge: Sendable, Hashable, Codable {
    /// The identifier of the node that waits.
    package var from: String
    /// The identifier of the node that it waits for.
    package var to: String
    /// `waits for`, `held by`, `runs on`, `queued on`, `needs a thread of`.
    package var label: String
    /// Whether it belongs to the cycle.
    package var isMarked: Bool

    /// Describes an edge.
    package init(from: String, to: String, label: String, isMarked: Bool = false) {
      self.from = from
      self.to = to
      self.label = label
      self.isMarked = isMarked
    }
  }

  /// The cause.
  package var cause: Cause
  /// Whether nothing that the process could still do ends the hang.
  package var isCertain: Bool
  /// One line, without the cause's name.
  package var headline: String
  /// More lines, most important first: the threads, the places, the times.
  package var details: [String]
  /// What would end the hang, and when the same code is safe; may be empty.
  package var advice: [String]
  /// The nodes of the graph.
  package var nodes: [Node]
  /// Its edges.
  package var edges: [Edge]
  /// What a dry pool would need; `nil` for other causes, and if it is not known.
  package var pool: PoolForecast?

  /// Describes a cause.
  package init(
    cause: Cause, isCertain: Bool, headline: String, details: [String] = [], advice: [String] = [],
    nodes: [Node] = [], edges: [Edge] = []
  ) {
    self.cause = cause
    self.isCertain = isCertain
    self.headline = headline
    self.details = details
    self.advice = advice
    self.nodes = nodes
    self.edges = edges
  }
}
