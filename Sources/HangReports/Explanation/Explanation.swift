package import Interlock
package import Hangs

/// A diagnosis as text: why a process hangs, in sentences and as a labelled graph.
package struct Explanation: Sendable, Hashable {
  /// A node of the graph.
  package struct Node: Sendable, Hashable {
    /// Its identifier among the nodes: `t4711`, `q0x7f…`.
    package var id: String
    /// The kind of thread or object that it stands for.
    package var kind: Diagnosis.Node.Kind
    /// How many threads or objects it stands for.
    package var count: Int
    /// Its title: `thread 4711 "main"`, `queue "cache" (serial)`.
    package var title: String
    /// More lines.
    package var details: [String]
    /// The call site in the user's code; `nil` for none.
    package var place: StackFrame?
    /// The stack of a thread, innermost first.
    package var stack: [StackFrame]
    /// What the thread does if it waits for no object; `nil` for all other nodes.
    package var elsewhere: WaitSnapshot.Elsewhere?
    /// Whether it belongs to the cycle, or to the pool all of whose threads wait.
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
  package var cause: Diagnosis.Cause
  /// Whether the hang is certain: nothing that the process can still do would end it.
  package var isCertain: Bool
  /// One line, without the cause's name.
  package var headline: String
  /// More lines, most important first: the threads, the places, the times. If the cause is not
  /// certain, the last one is the reason for the doubt.
  package var details: [String]
  /// What would end the hang, and when the same code is safe; may be empty.
  package var advice: [String]
  /// The nodes of the graph.
  package var nodes: [Node]
  /// Its edges.
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
  ///   - snapshot: The snapshot from which the diagnosis was made, now with symbols. A thread
  ///     without a stack is shown as far as it is known.
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
