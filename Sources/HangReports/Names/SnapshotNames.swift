import Interlock
import ProcessInspection
import Hangs

/// Names for the threads and objects of a snapshot, from names, labels and lines where known.
struct SnapshotNames {
  let index: WaitIndex
  let makers: CreationSites
  /// The objects whose place also created other objects of the same kind.
  private let namesakes: Set<WaitIndex.ObjectID>
  /// The accessors of the variables of initialisers.
  private let accessors: [WaitIndex.ObjectID: StackFrame]

  init(_ index: WaitIndex) {
    self.index = index
    makers = CreationSites(index.snapshot)
    namesakes = Self.namesakes(among: index.snapshot.signals, makers)
    accessors = Self.accessors(of: index.threads)
  }

  private static func namesakes(
    among signals: [WaitSnapshot.Signal], _ makers: CreationSites
  ) -> Set<WaitIndex.ObjectID> {
    struct Name: Hashable {
      var kind: String
      // Compare places as shown: two calls on one line have different addresses.
      var made: String?
    }
    let groups = Dictionary(grouping: signals.filter { !$0.created.isEmpty }) {
      Name(kind: name($0.kind), made: makers.place(of: $0))
    }
    return Set(groups.values.filter { $0.count > 1 }.joined().map(\.id))
  }

  private static func accessors(
    of threads: [WaitSnapshot.Thread]
  ) -> [WaitIndex.ObjectID: StackFrame] {
    var accessors: [WaitIndex.ObjectID: StackFrame] = [:]
    for thread in threads {
      for held in thread.held where held.kind == .initializer {
        accessors[held.object] = held.place.first
      }
      if let wait = thread.wait, wait.kind == .initializer {
        accessors[wait.object] = wait.place.first
      }
    }
    return accessors
  }

  /// `thread 4711 "worker"`, `task 2`.
  func party(_ party: Diagnosis.Party) -> String {
    if let number = index.position(of: party) { return self.party(at: number) }
    return switch party {
    case .thread(let number): "thread \(number)"
    case .task: "a task"
    }
  }

  /// `thread 4711 "worker"`, for a position in the index.
  private func party(at number: Int) -> String {
    if index.isTask(number) { return "task \(number - index.threadCount + 1)" }
    let thread = index.threads[number]
    if let title = thread.title { return title }
    return thread.isMain ? "thread \(thread.id) (main)" : Self.thread(thread.id, thread.name)
  }

  /// `thread 4711 "worker"`, `thread 4711 (default pool)`.
  static func thread(_ number: Int, _ name: String) -> String {
    if name.isEmpty { return "thread \(number)" }
    if let pool = poolOfWorker(named: name) { return "thread \(number) (\(pool))" }
    return "thread \(number) \"\(Printable.label(name))\""
  }

  /// `default pool`; `nil` for a thread that is not a worker. libdispatch names its workers after
  /// their root queue's label; Linux keeps the last 15 bytes.
  private static func poolOfWorker(named name: String) -> String? {
    guard name.utf8.count == 15 else { return nil }
    // The end of this label is the same for all overcommit pools.
    if name == "-qos.overcommit" { return "overcommit pool" }
    let kinds = [
      "maintenance", "background", "utility", "default", "user-initiated", "user-interactive",
    ]
    return kinds.first { "com.apple.root.\($0)-qos".hasSuffix(name) }.map { "\($0) pool" }
  }

  /// `3 threads`, `2 other tasks`, `3 threads and 2 tasks`.
  static func count(_ parties: [Diagnosis.Party], _ adjective: String = "") -> String {
    let tasks = parties.count(where: \.isTask)
    return [(parties.count - tasks, "thread"), (tasks, "task")].filter { $0.0 > 0 }
      .map { Counted.noun($0.0, adjective + $0.1) }.joined(separator: " and ")
  }

  /// `queue "cache"`, `the main queue`, `the default pool`.
  func queue(_ id: WaitIndex.ObjectID) -> String {
    guard let number = index.queueAt[id] else { return "a queue" + address(id) }
    let queue = index.queues[number]
    if queue.isMain { return "the main queue" }
    if queue.isRoot { return "the " + pool(id) }
    return quotedLabel(of: queue).map { "queue " + $0 } ?? "a queue without a label" + address(id)
  }

  /// `"cache"`; for a queue without a label, the text of `queue(_:)`.
  func quotedQueue(_ id: WaitIndex.ObjectID) -> String {
    guard let number = index.queueAt[id] else { return queue(id) }
    let found = index.queues[number]
    return (found.isMain || found.isRoot ? nil : quotedLabel(of: found)) ?? queue(id)
  }

  private func quotedLabel(of queue: WaitSnapshot.Queue) -> String? {
    queue.label.isEmpty ? nil : "\"\(Printable.label(queue.label))\""
  }

  /// `concurrent, default pool`.
  func queueKind(_ number: Int) -> String {
    let queue = index.queues[number]
    if queue.isMain { return "main thread only" }
    var words = queue.width == 0 ? [] : [queue.width == 1 ? "serial" : "concurrent"]
    if index.isMain(number) {
      words.append("on the main queue")
    } else if index.isTaskQueue(number) {
      words = ["Swift tasks"]
    } else if let root = index.root(of: number), root != number {
      words.append(pool(index.queues[root].id))
    }
    if queue.isSuspended { words.append("suspended") }
    return words.joined(separator: ", ")
  }

  /// `default pool`, `user-initiated overcommit pool`.
  func pool(_ root: WaitIndex.ObjectID) -> String {
    guard let number = index.queueAt[root] else { return "pool" }
    var name = index.queues[number].label
    if name.hasPrefix("com.apple.root.") { name.removeFirst("com.apple.root.".count) }
    let isOvercommit = index.queues[number].isOvercommit
    if name.hasSuffix(".overcommit") { name.removeLast(".overcommit".count) }
    if name.hasSuffix("-qos") { name.removeLast("-qos".count) }
    return (name.isEmpty ? "" : Printable.label(name) + " ") + (isOvercommit ? "overcommit " : "")
      + "pool"
  }

  /// `queue "cache"`, `the mutex made at TMCache.swift:60`. The address is added if several objects
  /// were created at one place. Without a recorded creation, only the variable or the address is
  /// shown.
  func object(_ object: Diagnosis.Object) -> String {
    let id = object.id
    switch object.kind {
    case .queue: return queue(id)
    case .thread:
      let number = index.threadAt[Int(truncatingIfNeeded: id)]
      return "the end of " + (number.map(party(at:)) ?? "thread \(id)")
    case .task:
      return index.party(ofTask: id).map {
        "the end of " + (index.isTask($0) ? party(at: $0) : "the task on " + party(at: $0))
      } ?? "the end of a task"
    case .actor:
      return index.snapshot.actorTypes[id].map { "the actor \(Printable.label($0))" }
        ?? "an actor" + address(id)
    case .taskGroup: return "the tasks of its group"
    case .workItem: return "a work item"
    case .initializer: return initializer(id)
    default:
      guard let made = index.signals[id].flatMap(makers.place) else {
        let variable = index.signals[id]?.variable.map(PlaceText.variable)
        return variable.map { "the \(Self.name(object.kind)) \($0)" }
          ?? Self.name(object.kind) + address(id)
      }
      let isAlone = !namesakes.contains(id)
      return "the \(Self.name(object.kind)) made at \(made)"
        + (isAlone ? "" : " (\(address(id).dropFirst()))")
    }
  }

  /// `the initialiser of Settings.shared (Settings.swift:12)`.
  private func initializer(_ id: WaitIndex.ObjectID) -> String {
    let accessor = accessors[id]
    guard var name = accessor?.function, let end = name.firstRange(of: StackFrame.accessorSuffix)
    else {
      return "the \(Self.name(.initializer))" + address(id)
    }
    name.removeSubrange(end)
    let variable = "the initialiser of \(Printable.cut(Printable.line(name), to: 80))"
    guard let file = accessor?.file?.split(separator: "/").last, let line = accessor?.line else {
      return variable
    }
    return "\(variable) (\(Printable.label(String(file))):\(line))"
  }

  private func address(_ id: WaitIndex.ObjectID) -> String { " 0x" + String(id, radix: 16) }

  /// The name of a kind of object.
  static func name(_ kind: WaitSnapshot.ObjectKind) -> String {
    switch kind {
    case .mutex: "mutex"
    case .readLock, .writeLock: "read-write lock"
    case .condition: "condition"
    case .semaphore: "semaphore"
    case .group: "group"
    case .queue: "queue"
    case .swiftMutex: "Mutex"
    case .futex: "futex"
    case .workItem: "work item"
    case .thread: "end of a thread"
    case .continuation: "continuation"
    case .stream: "element of an AsyncStream"
    case .initializer: "initialiser that runs once"
    case .task: "end of a task"
    case .taskGroup: "task group"
    case .actor: "actor"
    }
  }

  /// The text for a thread's wait, such as `waits for the mutex made at Bank.swift:9` or `waits to
  /// write read-write lock 0x…`.
  func waiting(_ wait: WaitSnapshot.Wait) -> String {
    switch wait.kind {
    case .actor: "waits to enter " + object(wait.waited)
    case .readLock: "waits to read " + object(wait.waited)
    case .writeLock: "waits to write " + object(wait.waited)
    case .queue where wait.isApply: "waits for the other parts of concurrentPerform"
    case .queue where wait.isBarrier: "waits to be alone on " + queue(wait.object)
    default: "waits for " + object(wait.waited)
    }
  }

  /// The text for a thread's wait without the object, such as `waits for a semaphore`.
  static func waiting(_ kind: WaitSnapshot.ObjectKind) -> String {
    switch kind {
    case .thread, .task: "waits for the " + name(kind)
    case .actor: "waits to enter an actor"
    default: "waits for a " + name(kind)
    }
  }
}

extension Diagnosis.Party {
  /// True for a task that has no thread.
  var isTask: Bool {
    switch self {
    case .thread: false
    case .task: true
    }
  }
}
