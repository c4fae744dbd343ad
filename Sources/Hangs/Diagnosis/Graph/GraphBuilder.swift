import Interlock

/// Builds the graph of a snapshot. Marks the cause's part, and bounds the size to one page.
struct GraphBuilder {
  /// The maximum number of nodes and edges.
  static let mostNodes = 200
  static let mostEdges = 400

  typealias Node = Diagnosis.Node
  typealias Edge = Diagnosis.Edge

  let index: WaitIndex
  let finding: FoundCause

  private(set) var nodes: [Node] = []
  private(set) var edges: [Edge] = []
  private var known: Set<Node.ID> = []
  private var knownEdges: Set<Edge> = []

  init(_ index: WaitIndex, _ finding: FoundCause) {
    self.index = index
    self.finding = finding
    for group in groups { add(group) }
    addQueues()
    addTasks()
  }

  /// The nodes and edges. Marked ones are kept first.
  var graph: (nodes: [Node], edges: [Edge]) {
    var shown = nodes.filter(\.isMarked) + nodes.filter { !$0.isMarked }
    if shown.count > Self.mostNodes {
      let left = shown.count - Self.mostNodes + 1
      shown.removeLast(left)
      shown.append(Node(subject: .rest, kind: .other, count: left))
    }
    let kept = Set(shown.map(\.id))
    let possible = edges.filter { kept.contains($0.from) && kept.contains($0.to) }
    let ordered = possible.filter(\.isMarked) + possible.filter { !$0.isMarked }
    return (shown, Array(ordered.prefix(Self.mostEdges)))
  }

  // Threads.

  /// Threads with equal waits.
  private struct Group {
    struct Key: Hashable {
      var kind: WaitSnapshot.ObjectKind?
      var object: WaitIndex.ObjectID
      var elsewhere: WaitSnapshot.Elsewhere?
      var place: ArraySlice<StackFrame>
      var isMarked: Bool
      var isMain: Bool
      var queues: [WaitIndex.ObjectID]
      /// The thread's number if it holds an object: then it is a group of its own.
      var holder: Int?
    }
    var threads: [Int]
    var isMarked: Bool
  }

  private var groups: [Group] {
    var byKey: [Group.Key: Int] = [:]
    var groups: [Group] = []
    for (number, thread) in index.threads.enumerated() {
      if thread.wait == nil, thread.elsewhere == .idle, thread.held.isEmpty, thread.runs.isEmpty {
        continue
      }
      let isMarked = finding.markedThreads.contains(number)
      let key = Group.Key(
        kind: thread.wait?.kind, object: thread.wait?.object ?? 0,
        elsewhere: thread.wait == nil ? thread.elsewhere : nil, place: thread.wait?.call ?? [],
        isMarked: isMarked, isMain: thread.isMain, queues: thread.runs.map(\.queue),
        holder: thread.held.isEmpty ? nil : number)
      if let group = byKey[key] {
        groups[group].threads.append(number)
      } else {
        byKey[key] = groups.count
        groups.append(Group(threads: [number], isMarked: isMarked))
      }
    }
    return groups
  }

  private mutating func add(_ group: Group) {
    let first = group.threads[0]
    let node = Node(
      subject: .parties(index.parties(group.threads)),
      kind: index.isTask(first) ? .task : .thread, count: group.threads.count,
      isMarked: group.isMarked)
    add(node)
    connect(index.threads[first], node.id, isMarked: group.isMarked)
  }

  private mutating func connect(_ thread: WaitSnapshot.Thread, _ id: Node.ID, isMarked: Bool) {
    if let wait = thread.wait {
      let object = node(for: wait.kind, wait.object)
      connect(id, object, wait.isApply ? .worksOn : .waitsFor, isMarked, wait.object)
    }
    for held in thread.held {
      let relation: Edge.Relation = held.kind == .actor ? .runsOn : .heldBy
      connect(node(for: held.kind, held.object), id, relation, isMarked, held.object)
    }
    // Edges lead from a queue to the thread on it, as from a lock to its holder.
    for run in thread.runs {
      connect(node(for: .queue, run.queue), id, .runsOn, isMarked, run.queue)
    }
    if let parent = thread.parentTask, let maker = index.party(ofTask: parent),
      index.threads[maker].wait?.kind == .taskGroup
    {
      connect(node(for: .taskGroup, parent), id, .made, isMarked, parent)
    }
    if let pool = thread.pool { connect(id, node(for: .queue, pool), .threadOf, false, pool) }
  }

  private mutating func connect(
    _ from: Node.ID, _ to: Node.ID, _ relation: Edge.Relation, _ isMarked: Bool,
    _ object: WaitIndex.ObjectID
  ) {
    add(
      Edge(
        from: from, to: to, relation: relation,
        isMarked: isMarked && finding.markedObjects.contains(object)))
  }

  // Objects.

  private mutating func node(
    for kind: WaitSnapshot.ObjectKind, _ id: WaitIndex.ObjectID
  ) -> Node.ID {
    if kind == .thread { return .party(.thread(Int(truncatingIfNeeded: id))) }
    if kind == .task, let party = index.party(ofTask: id) { return .party(index.party(party)) }
    if kind == .queue { return queueNode(id) }
    let nodeKind: Node.Kind =
      switch kind {
      case .mutex, .swiftMutex, .initializer, .readLock, .writeLock, .actor: .lock
      case .semaphore: .semaphore
      case .group, .taskGroup: .group
      case .condition: .condition
      case .continuation, .stream, .task: .task
      default: .other
      }
    return add(
      Node(
        subject: .object(Diagnosis.Object(kind, id)), kind: nodeKind,
        isMarked: finding.markedObjects.contains(id)))
  }

  private mutating func queueNode(_ id: WaitIndex.ObjectID) -> Node.ID {
    let queue = index.queueAt[id].map { index.queues[$0] }
    return add(
      Node(
        subject: .queue(id), kind: queue?.isRoot ?? false ? .pool : .queue,
        isMarked: queue != nil && finding.markedObjects.contains(id)))
  }

  private mutating func addQueues() {
    let shown = index.queues.indices.filter {
      index.queues[$0].queued > 0 || known.contains(.queue(index.queues[$0].id))
    }
    for number in Set(shown.flatMap { index.chains[$0] }).sorted() {
      let queue = index.queues[number]
      let id = queueNode(queue.id)
      let isMarked = finding.markedObjects.contains(queue.id)
      for (position, blocks) in queue.blocks.enumerated() {
        let from = add(
          Node(
            subject: .blocks(queue: queue.id, position: position), kind: .blocks,
            count: blocks.count, isMarked: isMarked))
        add(Edge(from: from, to: id, relation: .queuedOn, isMarked: isMarked))
      }
      if let target = queue.target {
        let isRoot = index.queueAt[target].map { index.queues[$0].isRoot } ?? false
        add(
          Edge(
            from: id, to: queueNode(target), relation: isRoot ? .needsThreadOf : .runsOn,
            isMarked: isMarked && finding.markedObjects.contains(target)))
      }
    }
  }

  private mutating func addTasks() {
    let waiting = index.snapshot.signals.filter(\.isWaitingTask)
    for signal in waiting.sorted(by: { $0.id < $1.id }) { _ = node(for: signal.kind, signal.id) }
  }

  @discardableResult
  private mutating func add(_ node: Node) -> Node.ID {
    if known.insert(node.id).inserted { nodes.append(node) }
    return node.id
  }

  private mutating func add(_ edge: Edge) {
    if knownEdges.insert(edge).inserted { edges.append(edge) }
  }
}
