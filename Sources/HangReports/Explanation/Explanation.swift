package import Interlock
package import Hangs

/// A diagnosis as text: why a process hangs, in sentences and as a labelled graph.
package struct Explanation: Sendable, Hashable {
  /// A node of the graph.
  package struct Node: Sendable, Hashable {
    /// The node's identifier in the graph: `t4711`, `q0x7f…`.
    package var id: String
    /// The kind of thread or object that the node stands for.
    package var kind: Diagnosis.Node.Kind
    /// The number of threads or objects that the node stands for.
    package var count: Int
    /// The title of the node: `thread 4711 "main"`, `queue "cache" (serial)`.
    package var title: String
    /// Further lines.
    package var details: [String]
    /// The call site in the user's code; `nil` for none.
    package var place: StackFrame?
    /// The stack of a thread, innermost first.
    package var stack: [StackFrame]
    /// The state of a thread that waits for no object; `nil` for all other nodes.
    package var elsewhere: WaitSnapshot.Elsewhere?
    /// True if the node belongs to the cycle, or to the pool whose threads all wait.
    package var isMarked: Bool

    /// Describes a node.
    package init(
      id: String, kind: Diagnosis.Node.Kind, count: Int = 1, title: String, details: [String] = [],
      place: StackFrame? = nil, stack: [StackFrame] = [], elsewhere: WaitSnapshot.Elsewhere? = nil,
      isMarked: Bool = false
    ) {
      self.id = id
      self.kind = kind
      self.count = count
      self.title = title
      self.details = details
      self.place = place
      self.stack = stack
      self.elsewhere = elsewhere
      self.isMarked = isMarked
    }
  }

  /// A dependency between two nodes.
  package struct Edge: Sendable, Hashable {
    /// The identifier of the node that waits.
    package var from: String
    /// The identifier of the node that it waits for.
    package var to: String
    /// `waits for`, `held by`, `runs on`, `queued on`, `needs a thread of`.
    package var label: String
    /// True if the edge belongs to the cycle.
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
  package var cause: Diagnosis.Cause
  /// True if nothing that the process can still do would end the hang.
  package var isCertain: Bool
  /// One line, without the cause's name.
  package var headline: String
  /// Further lines, the most important first: threads, places, times. If the cause is not certain,
  /// the last line says why.
  package var details: [String]
  /// A change that ends the hang, and the condition under which the code is safe; may be empty.
  package var advice: [String]
  /// The nodes of the graph.
  package var nodes: [Node]
  /// The edges of the graph.
  package var edges: [Edge]

  /// Describes a cause.
  package init(
    cause: Diagnosis.Cause, isCertain: Bool, headline: String, details: [String] = [],
    advice: [String] = [], nodes: [Node] = [], edges: [Edge] = []
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

extension Explanation {
  /// Formats a diagnosis. Takes time linear in the snapshot.
  ///
  /// - Parameters:
  ///   - diagnosis: The diagnosis.
  ///   - snapshot: The snapshot of the diagnosis, now with symbols. A thread without a stack is
  ///     shown without its frames.
  package init(_ diagnosis: Diagnosis, of snapshot: WaitSnapshot) {
    let names = SnapshotNames(WaitIndex(snapshot))
    self.init(diagnosis, names)
    let graph = GraphFormatter(names: names)
    nodes = diagnosis.nodes.map(graph.node)
    edges = diagnosis.edges.map(graph.edge)
  }

  private init(_ diagnosis: Diagnosis, _ names: SnapshotNames) {
    let cause = CauseFormatter(diagnosis, names)
    let (headline, details) = cause.lines
    self.init(
      cause: diagnosis.cause, isCertain: diagnosis.isCertain, headline: headline,
      details: details, advice: cause.advice)
  }

  /// Formats a diagnosis without its graph.
  package static func text(_ diagnosis: Diagnosis, of snapshot: WaitSnapshot) -> Explanation {
    Explanation(diagnosis, SnapshotNames(WaitIndex(snapshot)))
  }

  /// The headline alone: one line, without the cause's name.
  package static func headline(_ diagnosis: Diagnosis, of snapshot: WaitSnapshot) -> String {
    CauseFormatter(diagnosis, SnapshotNames(WaitIndex(snapshot))).headline
  }
}
