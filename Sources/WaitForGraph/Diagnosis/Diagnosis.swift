public import Interlock

/// Why a process cannot go on: the wait-for graph of a snapshot, its cause, and what would free it.
///
/// A pure function of the snapshot. The cause is *certain* when nothing that the process could
/// still do ends it: that is decided by taking away, step by step, whoever may go on and whoever
/// they may wake, as in the reduction of a resource graph (Holt, "Some Deadlock Properties of
/// Computer Systems", 1972). What is left can never go on.
public struct Diagnosis: Sendable, Hashable, Codable {
  /// Why no thread can go on.
  public enum Cause: String, Sendable, Hashable, Codable, CaseIterable {
    /// Each of several threads or queues waits for the next.
    case cycle
    /// A thread waits for itself.
    case `self`
    /// All threads that a pool may have wait for work that is queued behind them on that pool.
    case starvation
    /// Nobody is left who could signal what is waited for.
    case lostWakeUp = "lost-wake-up"
    /// A task's continuation was never resumed, and nothing is left to run.
    case suspended
    /// A lock's owner ended, or went on, without giving it up.
    case abandonedLock = "abandoned-lock"
    /// It could not be told.
    case unknown
  }

  /// A thread, a lock, a queue, a pool: threads that do the same are one node.
  public struct Node: Sendable, Hashable, Codable {
    /// What a node stands for.
    public enum Kind: String, Sendable, Hashable, Codable {
      case thread, lock, queue, semaphore, group, condition, pool, task, blocks, other
    }
    /// Its name among the nodes: `t4711`, `q0x7f…`, `pool default`.
    public var id: String
    /// What it stands for.
    public var kind: Kind
    /// How many it stands for: threads with one stack that wait for one thing, queued blocks of one
    /// place.
    public var count: Int
    /// A line for people: `thread 4711 "main"`, `queue "cache" (serial)`.
    public var title: String
    /// More lines.
    public var details: [String]
    /// Where the user's code made the call that it stands for; `nil` for none.
    public var place: StackFrame?
    /// The stack of a thread, innermost first.
    public var stack: [StackFrame]
    /// Whether it is a part of the cycle, or of the pool that is dry.
    public var isMarked: Bool

    /// Describes a node.
    public init(
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

  /// Who waits for whom.
  public struct Edge: Sendable, Hashable, Codable {
    /// Who, by the node's name.
    public var from: String
    /// For whom, by the node's name.
    public var to: String
    /// `waits for`, `held by`, `runs on`, `queued on`, `needs a thread of`.
    public var label: String
    /// Whether it is a part of the cycle.
    public var isMarked: Bool

    /// Describes an edge.
    public init(from: String, to: String, label: String, isMarked: Bool = false) {
      self.from = from
      self.to = to
      self.label = label
      self.isMarked = isMarked
    }
  }

  /// Why.
  public var cause: Cause
  /// Whether nothing that the process could still do ends it.
  public var isCertain: Bool
  /// One line for people, without the cause's name.
  public var headline: String
  /// More lines, most important first: who, where, since when.
  public var details: [String]
  /// What would free it, and when the same code is safe; may be empty.
  public var advice: [String]
  /// The nodes of the graph.
  public var nodes: [Node]
  /// Its edges.
  public var edges: [Edge]
  /// What becomes of the pool that is dry, where that is the cause and it can be told.
  package var pool: PoolForecast?

  /// Describes a cause.
  public init(
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
