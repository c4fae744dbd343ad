package import Interlock
import ProcessInspection

/// Names for the threads and objects of a snapshot: from names, labels and lines, if any are known.
package struct Wording {
  let index: WaitIndex

  /// `TMCache.swift:61  get(_:)`, for the first frame in the user's code; `nil` if nothing is
  /// known.
  package static func place(_ frames: [StackFrame]) -> String? { frame(of: frames).flatMap(text) }

  /// The place with its call site, if that is known: a wrapper's `lock()` may acquire a lock.
  static func placeAndCaller(_ frames: [StackFrame]) -> String? {
    guard let first = place(frames) else { return nil }
    let users = frames.filter { !$0.isSystem }.compactMap(text)
    return users.count > 1 && users[1] != first ? "\(first), called at \(users[1])" : first
  }

  /// ` at PosixLock.swift:9  lock(), called at Bank.swift:12  add(_:)`; empty if nothing is known.
  package static func atWithCaller(_ frames: [StackFrame]) -> String {
    placeAndCaller(frames).map { " at " + $0 } ?? ""
  }

  /// The first frame in the user's code, else the first that the compiler did not make, else the
  /// first.
  static func frame(of frames: [StackFrame]) -> StackFrame? {
    frames.first { !$0.isSystem } ?? frames.first { !$0.isCompilers } ?? frames.first
  }

  /// `TMCache.swift:61  get(_:)`; `nil` if only an address is known.
  static func text(_ frame: StackFrame) -> String? {
    let function = frame.function.map { Printable.cut(Printable.line($0), to: 80) }
    if let file = frame.file, let line = frame.line, line > 0 {
      let base = file.split(separator: "/").last.map(String.init) ?? file
      let place = "\(Printable.label(base)):\(line)"
      return function.map { place + "  " + $0 } ?? place
    }
    let image = frame.image.map { "(\(Printable.label($0)))" }
    let known = [function, image].compactMap { $0 }
    return known.isEmpty ? nil : known.joined(separator: "  ")
  }

  /// `at TMCache.swift:61  get(_:)`, with a space before it; empty if nothing is known.
  package static func at(_ frames: [StackFrame]) -> String {
    place(frames).map { " at " + $0 } ?? ""
  }

  /// `thread 4711 "worker"`.
  func thread(_ number: Int) -> String {
    if index.isTask(number) { return "task \(number - index.threadCount + 1)" }
    let thread = index.threads[number]
    if thread.isMain { return "thread \(thread.id) (main)" }
    if thread.name.isEmpty { return "thread \(thread.id)" }
    return "thread \(thread.id) \"\(Printable.label(thread.name))\""
  }

  /// `3 threads`, `2 other tasks`, `3 threads and 2 tasks`.
  func count(_ threads: [Int], _ adjective: String = "") -> String {
    let tasks = threads.count(where: index.isTask)
    return [(threads.count - tasks, "thread"), (tasks, "task")].filter { $0.0 > 0 }
      .map { Counted.noun($0.0, adjective + $0.1) }.joined(separator: " and ")
  }

  /// `queue "cache"`, `the main queue`, `the default pool`.
  func queue(_ id: WaitIndex.ObjectID) -> String {
    guard let number = index.queueAt[id] else { return "a queue" + address(id) }
    let queue = index.queues[number]
    if queue.isMain { return "the main queue" }
    if queue.isRoot { return "the " + pool(id) }
    return queue.label.isEmpty
      ? "a queue without a label" + address(id) : "queue \"\(Printable.label(queue.label))\""
  }

  /// `"cache"`, or as `queue(_:)` if it has no label.
  func quotedQueue(_ id: WaitIndex.ObjectID) -> String {
    let text = queue(id)
    return text.hasPrefix("queue ") ? String(text.dropFirst(6)) : text
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

  /// `queue "cache"`, `the mutex made at TMCache.swift:60`; with its address if several were made
  /// there, and only the address if its initialization was not seen.
  func object(_ kind: WaitSnapshot.ObjectKind, _ id: WaitIndex.ObjectID) -> String {
    switch kind {
    case .queue: return queue(id)
    case .thread:
      let number = index.threadAt[Int(truncatingIfNeeded: id)]
      return "the end of " + (number.map(thread) ?? "thread \(id)")
    case .task:
      return index.party(ofTask: id).map {
        "the end of " + (index.isTask($0) ? thread($0) : "the task on " + thread($0))
      } ?? "the end of a task"
    case .actor:
      return index.snapshot.actorTypes[id].map { "the actor \(Printable.label($0))" }
        ?? "an actor" + address(id)
    case .taskGroup: return "the tasks of its group"
    case .workItem: return "a work item"
    case .initializer: return initializer(id)
    default:
      guard let made = index.signals[id].flatMap({ Self.place($0.created) }) else {
        return Self.name(kind) + address(id)
      }
      let isAlone = !index.namesakes.contains(id)
      return "the \(Self.name(kind)) made at \(made)"
        + (isAlone ? "" : " (\(address(id).dropFirst()))")
    }
  }

  /// `the initialiser of Settings.shared (Settings.swift:12)`.
  private func initializer(_ id: WaitIndex.ObjectID) -> String {
    let accessor = index.accessors[id]
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

  /// What a thread does in a wait: `waits for the mutex made at Bank.swift:9`,
  /// `waits to write read-write lock 0x…`.
  func waiting(_ wait: WaitSnapshot.Wait) -> String {
    switch wait.kind {
    case .actor: "waits to enter " + object(wait.kind, wait.object)
    case .readLock: "waits to read " + object(wait.kind, wait.object)
    case .writeLock: "waits to write " + object(wait.kind, wait.object)
    case .queue where wait.isApply: "waits for the other parts of concurrentPerform"
    case .queue where wait.isBarrier: "waits to be alone on " + queue(wait.object)
    default: "waits for " + object(wait.kind, wait.object)
    }
  }

  /// What a thread does in a wait, without the object: `waits for a semaphore`.
  static func waiting(_ kind: WaitSnapshot.ObjectKind) -> String {
    switch kind {
    case .thread, .task: "waits for the " + name(kind)
    case .actor: "waits to enter an actor"
    default: "waits for a " + name(kind)
    }
  }
}
