import CInterlockAnalysis
import CInterlockEvents
import Interlock
import ProcessInspection

/// The unstructured tasks and threads of this process that have not ended, and the objects that
/// were left behind. Only those created since `follow` are known.
package enum LiveTasks {
  /// The most tasks that are described.
  private static let most = 4096

  /// Follows tasks and threads created from now on, until the process ends.
  ///
  /// - Parameters:
  ///   - scope: Returns the scope of the calling code, 0 for none. Called on the thread that
  ///     creates a task. `nil` if there are no scopes.
  ///   - all: True to follow tasks without a scope too.
  /// - Returns: Why tasks cannot be followed; `nil` if they are.
  package static func follow(
    scope: (@convention(c) () -> UInt64)? = nil, all: Bool = false
  ) -> String? {
    if let blindness = InterposedCalls.blindness { return blindness }
    _ = interlock_waits_start()
    return interlock_lives_follow(scope, all).map { String(cString: $0) }
  }

  /// The number of tasks that could not be followed because too many existed at once.
  package static var lost: Int { Int(interlock_lives_lost()) }

  /// The number of tasks, threads and objects, except locks, that a scope has left; `nil` counts
  /// all code.
  package static func count(in scope: UInt64?) -> Int {
    interlock_lives_tasks(scope ?? 0, scope == nil, nil, 0)
  }

  /// The tasks, threads and objects, except locks, that a scope has left, with symbols, in the
  /// order in which they were created.
  ///
  /// - Parameter scope: The scope; `nil` for the tasks of all code.
  /// - Returns: The tasks; at most 4096.
  package static func tasks(in scope: UInt64?) -> [LiveTask] {
    let known = count(in: scope)
    guard known > 0 else { return [] }
    let room = min(known + 16, most)
    let live = [interlock_live_task](unsafeUninitializedCapacity: room) { buffer, initialized in
      initialized = min(
        interlock_lives_tasks(scope ?? 0, scope == nil, buffer.baseAddress, room), room)
    }
    let waits = CurrentWaits()
    let current = interlock_lives_current()
    let tasks = live.sorted { $0.number < $1.number }.map { task in
      let kind = kind(of: task)
      let wait: LiveTask.Wait? =
        switch kind {
        case .task: waits.byTask[task.task]
        case .thread: waits.byThread[task.thread]
        case .delayedBlock: .init(.delayed)
        default: .init(state(of: task))
        }
      var described = LiveTask(
        number: task.number, kind: kind,
        maker: SnapshotTaker.frames(task.place.place, task.place.outer),
        wait: wait ?? .init(.none),
        children: kind == .task ? waits.children[task.task] ?? [] : [])
      described.isRunning = kind == .task && task.task == current
      return described
    }
    return withSymbols(tasks)
  }

  private static func kind(of task: interlock_live_task) -> LiveTask.Kind {
    switch task.kind {
    case INTERLOCK_LIVE_THREAD: .thread
    case INTERLOCK_LIVE_QUEUE: .queue
    case INTERLOCK_LIVE_SOURCE: .source
    case INTERLOCK_LIVE_TIMER: .timer
    case INTERLOCK_LIVE_DELAYED_BLOCK: .delayedBlock
    default: .task
    }
  }

  private static func state(of object: interlock_live_task) -> LiveTask.State {
    switch object.state {
    case INTERLOCK_LIVE_SUSPENDED: .suspended
    case INTERLOCK_LIVE_INACTIVE: .inactive
    default: .active
    }
  }

  /// Replaces addresses by symbols.
  static func withSymbols(_ tasks: [LiveTask]) -> [LiveTask] {
    let addresses = tasks.reduce(into: Set<UInt>()) { $0.formUnion($1.addresses) }
    let names = Dictionary(grouping: symbolicateWaits(addresses.sorted()), by: \.address)
    return tasks.map { $0.named(names) }
  }
}

/// The current wait of every suspended task and of every thread, without symbols.
private struct CurrentWaits {
  private(set) var byTask: [UInt: LiveTask.Wait] = [:]
  private(set) var byThread: [UInt32: LiveTask.Wait] = [:]
  private(set) var children: [UInt: [LiveTask.Child]] = [:]

  init() {
    // Later assignments replace earlier ones: a task can have several entries, one for each call
    // that it is in.
    for call in Self.calls() where !call.is_sleep {
      byTask[call.task] = .init(.call, at: SnapshotTaker.frames(call.place))
    }
    for view in SnapshotTaker.awaitViews().sorted(by: { Self.depth($0) < Self.depth($1) }) {
      let state: LiveTask.State? =
        switch SnapshotTaker.kind(view.kind) {
        case .task: .task
        case .taskGroup: .taskGroup
        case .actor: .actor(SnapshotTaker.className(of: view.awaited))
        default: nil
        }
      guard let state else { continue }
      byTask[view.task] = .init(state, at: SnapshotTaker.frames(view.place))
    }
    for call in Self.calls() where call.is_sleep {
      var call = call
      byTask[call.task] = .init(
        .sleep, at: SnapshotTaker.frames(call.place) + SnapshotTaker.callers(&call.outer))
    }
    for view in SnapshotTaker.continuations() {
      let state: LiveTask.State = SnapshotTaker.kind(view.kind) == .stream ? .stream : .continuation
      var view = view
      byTask[view.object] = .init(
        state,
        at: SnapshotTaker.frames(view.created) + SnapshotTaker.callers(&view.created_callers))
    }
    for view in SnapshotTaker.threadViews() {
      guard let kind = SnapshotTaker.kind(view.wait_kind) else { continue }
      byThread[view.number] = .init(.object(kind), at: SnapshotTaker.frames(view.wait_place))
    }
    for (task, wait) in byTask {
      guard let parent = SnapshotTaker.parent(ofTask: task) else { continue }
      let maker = interlock_waits_task_maker(task)
      children[parent, default: []].append(
        .init(maker: SnapshotTaker.frames(maker.place, maker.outer), wait: wait))
    }
  }

  private static func depth(_ view: interlock_await_view) -> Int {
    guard view.kind == INTERLOCK_OBJECT_TASK_GROUP.rawValue else { return 2 }
    return view.awaited == view.task ? 0 : 1
  }

  private static func calls() -> [interlock_call_view] {
    let count = interlock_waits_calls(nil, 0) + 16
    return [interlock_call_view](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = min(interlock_waits_calls(buffer.baseAddress, count), count)
    }
  }
}
