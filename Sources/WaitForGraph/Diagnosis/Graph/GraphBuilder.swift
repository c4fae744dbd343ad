import Interlock

/// Makes a graph of a snapshot, with the cause's part marked, and no larger than fits on a page.
struct GraphBuilder {
  /// The most nodes and edges.
  static let mostNodes = 200
  static let mostEdges = 400

  typealias Node = Diagnosis.Node
  typealias Edge = Diagnosis.Edge

  let finder: Finder
  let finding: Finding
  var index: WaitIndex { finder.index }
  var words: Wording { finder.words }

  private(set) var nodes: [Node] = []
  private(set) var edges: [Edge] = []
  private var names: Set<String> = []
  private var known: Set<Edge> = []

  init(_ finder: Finder, _ finding: Finding) {
    self.finder = finder
    self.finding = finding
    for group in groups { add(group) }
    addQueues()
    addTasks()
  }

  /// The nodes and edges; marked ones are kept first.
  var graph: (nodes: [Node], edges: [Edge]) {
    var shown = nodes.filter(\.isMarked) + nodes.filter { !$0.isMarked }
    if shown.count > Self.mostNodes {
      let left = shown.count - Self.mostNodes + 1
      shown.removeLast(left)
      shown.append(
        Node(id: "more", kind: .other, count: left, title: "… and \(Counted.number(left)) more"))
    }
    let kept = Set(shown.map(\.id))
    let possible = edges.filter { kept.contains($0.from) && kept.contains($0.to) }
    let ordered = possible.filter(\.isMarked) + possible.filter { !$0.isMarked }
    return (shown, Array(ordered.prefix(Self.mostEdges)))
  }

  // Threads.

  /// Threads that do the same.
  private struct Group {
    struct Key: Hashable {
      var kind: WaitSnapshot.ObjectKind?
      var object: WaitIndex.ObjectID
      var elsewhere: WaitSnapshot.Elsewhere?
      var place: [StackFrame]
      var isMarked: Bool
      var isMain: Bool
      var queues: [WaitIndex.ObjectID]
      /// A thread that holds something is a group of its own.
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
        elsewhere: thread.wait == nil ? thread.elsewhere : nil, place: thread.wait?.place ?? [],
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
    let thread = index.threads[first]
    let name = "t\(thread.id)"
    let title =
      group.threads.count == 1 ? words.thread(first) : words.count(group.threads)
    var details: [String] = []
    if let wait = thread.wait {
      details.append(words.waiting(wait) + Wording.at(wait.place))
      let seconds = group.threads.compactMap { index.threads[$0].wait?.seconds }.max() ?? 0
      if seconds >= 0.05 { details.append("for \(Self.tenths(seconds)) s") }
      if wait.hasTimeLimit { details.append("with a time limit") }
    } else {
      details.append(Self.text(thread.elsewhere))
    }
    if group.threads.count > 1, !index.isTask(first) {
      let shown = group.threads.prefix(8).map { String(index.threads[$0].id) }
      let rest = group.threads.count - shown.count
      details.append(
        "threads " + shown.joined(separator: ", ")
          + (rest > 0 ? " and \(Counted.number(rest)) more" : ""))
    }
    add(
      Node(
        id: name, kind: index.isTask(first) ? .task : .thread, count: group.threads.count,
        title: title, details: details,
        place: thread.wait.flatMap { Wording.frame(of: $0.place) }, stack: thread.stack,
        isMarked: group.isMarked))
    connect(thread, name, isMarked: group.isMarked)
  }

  private mutating func connect(_ thread: WaitSnapshot.Thread, _ name: String, isMarked: Bool) {
    if let wait = thread.wait {
      let object = node(for: wait.kind, wait.object)
      connect(name, object, wait.isApply ? "works on" : "waits for", isMarked, wait.object)
    }
    for held in thread.held {
      let label = held.kind == .actor ? "runs on" : "held by"
      connect(node(for: held.kind, held.object), name, label, isMarked, held.object)
    }
    // From a queue to the thread on it, as from a lock to its holder.
    for run in thread.runs {
      connect(node(for: .queue, run.queue), name, "runs on", isMarked, run.queue)
    }
    if let parent = thread.parentTask, let maker = index.party(ofTask: parent),
      index.threads[maker].wait?.kind == .taskGroup
    {
      connect(node(for: .taskGroup, parent), name, "made", isMarked, parent)
    }
    if let pool = thread.pool { connect(name, node(for: .queue, pool), "thread of", false, pool) }
  }

  private mutating func connect(
    _ from: String, _ to: String, _ label: String, _ isMarked: Bool, _ object: WaitIndex.ObjectID
  ) {
    add(
      Edge(
        from: from, to: to, label: label,
        isMarked: isMarked && finding.markedObjects.contains(object)))
  }

  // Objects.

  private mutating func node(
    for kind: WaitSnapshot.ObjectKind, _ id: WaitIndex.ObjectID
  ) -> String {
    if kind == .thread { return "t\(id)" }
    if kind == .task, let party = index.party(ofTask: id) { return "t\(index.threads[party].id)" }
    if kind == .queue { return queueNode(id) }
    let name = "o0x" + String(id, radix: 16)
    let nodeKind: Node.Kind =
      switch kind {
      case .mutex, .swiftMutex, .initializer, .readLock, .writeLock, .actor: .lock
      case .semaphore: .semaphore
      case .group, .taskGroup: .group
      case .condition: .condition
      case .continuation, .stream, .task: .task
      default: .other
      }
    var details: [String] = []
    if let signal = index.signals[id] {
      if let made = Wording.place(signal.created) { details.append("made at \(made)") }
      if signal.kind == .group {
        details.append("entered \(signal.enters), left \(signal.releases)")
      }
      if signal.kind == .semaphore {
        details.append("signalled \(Counted.noun(signal.releases, "time"))")
      }
    }
    if let left = index.leftLocks[id] {
      details.append("left locked by thread \(left.thread), which has ended")
      if let place = Wording.place(left.place) { details.append("taken at \(place)") }
    }
    add(
      Node(
        id: name, kind: nodeKind, title: words.object(kind, id), details: details,
        place: index.signals[id].flatMap { Wording.frame(of: $0.created) },
        isMarked: finding.markedObjects.contains(id)))
    return name
  }

  private mutating func queueNode(_ id: WaitIndex.ObjectID) -> String {
    let name = "q0x" + String(id, radix: 16)
    guard let number = index.queueAt[id] else {
      add(Node(id: name, kind: .queue, title: words.queue(id)))
      return name
    }
    let queue = index.queues[number]
    let kind = words.queueKind(number)
    add(
      Node(
        id: name, kind: queue.isRoot ? .pool : .queue,
        title: words.queue(id) + (kind.isEmpty || queue.isRoot ? "" : " (\(kind))"),
        details: queue.queued > 0 ? ["\(Counted.noun(queue.queued, "block")) queued"] : [],
        isMarked: finding.markedObjects.contains(id)))
    return name
  }

  private mutating func addQueues() {
    let shown = index.queues.indices.filter {
      index.queues[$0].queued > 0 || names.contains("q0x" + String(index.queues[$0].id, radix: 16))
    }
    for number in Set(shown.flatMap { index.chains[$0] }).sorted() {
      let queue = index.queues[number]
      let name = queueNode(queue.id)
      let isMarked = finding.markedObjects.contains(queue.id)
      for (place, blocks) in queue.blocks.enumerated() {
        let line = Wording.place(blocks.place)
        let noun = blocks.isJob ? "job" : "block"
        let id = "b\(name.dropFirst())-\(place)"
        add(
          Node(
            id: id, kind: .blocks, count: blocks.count,
            title: Counted.noun(blocks.count, noun) + " queued on \(words.queue(queue.id))",
            details: [line.map { "enqueued at \($0)" }, blocks.isBarrier ? "with a barrier" : nil]
              .compactMap { $0 },
            place: Wording.frame(of: blocks.place), isMarked: isMarked))
        add(Edge(from: id, to: name, label: "queued on", isMarked: isMarked))
      }
      if let target = queue.target {
        let label = index.queueAt[target].map { index.queues[$0].isRoot } ?? false
        let to = queueNode(target)
        add(
          Edge(
            from: name, to: to, label: label ? "needs a thread of" : "runs on",
            isMarked: isMarked && finding.markedObjects.contains(target)))
      }
    }
  }

  private mutating func addTasks() {
    let waiting = index.snapshot.signals.filter(\.isWaitingTask)
    for signal in waiting.sorted(by: { $0.id < $1.id }) { _ = node(for: signal.kind, signal.id) }
  }

  private mutating func add(_ node: Node) {
    if names.insert(node.id).inserted { nodes.append(node) }
  }

  private mutating func add(_ edge: Edge) {
    if known.insert(edge).inserted { edges.append(edge) }
  }

  private static func tenths(_ seconds: Double) -> String {
    let tenths = Int((seconds * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  private static func text(_ elsewhere: WaitSnapshot.Elsewhere) -> String {
    switch elsewhere {
    case .running: "runs"
    case .idle: "has no work"
    case .listening: "listens for events"
    case .outside: "is in a system call that ends by itself"
    case .unknown: "sleeps, and it is not known for what"
    }
  }
}
