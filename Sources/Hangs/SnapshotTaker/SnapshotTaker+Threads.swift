import CInterlockAnalysis
import CInterlockEvents
import Foundation
import Interlock
import ProcessInspection

// The waits, held objects and blocks of each thread, from the wait table and checked against the
// kernel.

extension SnapshotTaker {
  private static let mostThreads = 16_384

  /// The wait table's records of all threads.
  static func threadViews() -> [interlock_thread_view] {
    // Get the number of threads first: a record takes nearly a kilobyte.
    let count = min(interlock_waits_threads(nil, 0) + 64, mostThreads)
    return [interlock_thread_view](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = min(interlock_waits_threads(buffer.baseAddress, count), count)
    }
  }

  /// The threads that wait for a lock or a queue without a limit, and the tasks that wait for
  /// tasks, each with a number that changes when it continues.
  static func lockWaits() -> [Int: UInt64] {
    var found: [Int: UInt64] = [:]
    for view in threadViews() {
      let kind = interlock_object_kind(view.wait_kind)
      if kind == INTERLOCK_OBJECT_CONDITION {
        let futex = Platform.futex(of: Int(view.number), in: getpid())
        if let futex, isMutex(of: view, futex) { found[Int(view.number)] = view.sequence }
        continue
      }
      guard Int(view.wait_flags) & INTERLOCK_FLAG_TIME_LIMIT == 0 else { continue }
      switch kind {
      case INTERLOCK_OBJECT_MUTEX, INTERLOCK_OBJECT_READ_LOCK, INTERLOCK_OBJECT_WRITE_LOCK,
        INTERLOCK_OBJECT_QUEUE, INTERLOCK_OBJECT_OWNED_FUTEX, INTERLOCK_OBJECT_ONCE:
        found[Int(view.number)] = view.sequence
      default: continue
      }
    }
    for view in awaitViews() where view.kind == INTERLOCK_OBJECT_TASK.rawValue {
      found[Int(bitPattern: view.task)] = UInt64(view.awaited) ^ UInt64(view.place)
    }
    return found
  }

  /// A thread of the system, with its data from the wait table.
  func thread(
    _ thread: Platform.Thread, view: interlock_thread_view?, process: Int32, listensOutside: Bool,
    codes: BlockCodes?
  ) -> WaitSnapshot.Thread {
    var result = WaitSnapshot.Thread(
      id: thread.id, name: thread.name, isMain: thread.id == Int(process))
    if var view {
      result.held = Self.held(&view)
      result.runs = Self.runs(&view, codes)
      result.pool = view.pool == 0 ? nil : view.pool
      result.startedBy = Int(view.started_by)
      result.isPartial = view.untracked > 0
      if thread.state == .sleeping, Self.hasNoWork(view) {
        result.elsewhere = .idle
        return result
      }
      if thread.state == .sleeping || Self.asksInVain(view),
        let wait = wait(view, of: thread, in: process)
      {
        result.wait = wait
        if wait.kind == .semaphore, let codes, result.runs.count == 1, view.wait_place != 0 {
          result.runs[0].sureWait = codes.values(
            of: view.runs.0, goingStraightTo: view.wait_place)
        }
        if view.wait_task != 0 {
          result.task = view.wait_task
          result.parentTask = Self.parent(ofTask: view.wait_task)
        }
        if view.wait_actor != 0 {
          result.held.append(WaitSnapshot.Held(kind: .actor, object: view.wait_actor))
        }
        return result
      }
    }
    result.elsewhere = elsewhere(
      thread, process: process, isWorker: result.runs.isEmpty && result.pool != nil,
      polls: view.map { Self.polls(thread, $0) } ?? false, listensOutside: listensOutside)
    return result
  }

  /// True if a thread only polls its run loop. A thread that has been running for a second within
  /// one poll is in a function that the loop has called.
  static func polls(_ thread: Platform.Thread, _ view: interlock_thread_view) -> Bool {
    view.polls_since != 0
      && (thread.state == .sleeping || Platform.now - Double(view.polls_since) / 1e9 < 1)
  }

  /// True for a pool's worker without work.
  static func hasNoWork(_ view: interlock_thread_view) -> Bool {
    view.wait_kind == INTERLOCK_OBJECT_IDLE.rawValue && view.run_count == 0
  }

  /// True if a thread is blocked although it does not sleep: in a cycle of initialisers the kernel
  /// refuses the last thread's wait, and the runtime retries forever.
  ///
  /// The kernel hands an initialiser over before the next thread runs, so a thread that holds it
  /// only by the kernel's word is about to run it. An initialiser of `dispatch_once` does not spin:
  /// its threads sleep, or the process ends.
  static func asksInVain(_ view: interlock_thread_view) -> Bool {
    guard view.wait_kind == INTERLOCK_OBJECT_ONCE.rawValue,
      case .swift(let owner)? = ownerOfOnce(view.wait_object), owner != 0
    else { return false }
    var view = view
    return owner != Int(view.number)
      || held(&view).contains { $0.kind == .initializer && $0.object == view.wait_object }
  }

  private func elsewhere(
    _ thread: Platform.Thread, process: Int32, isWorker: Bool, polls: Bool, listensOutside: Bool
  ) -> WaitSnapshot.Elsewhere {
    // The run loop's poll may have a limit, or nothing to wait for. The thread polls again
    // afterwards.
    if polls { return listensOutside ? .input : .listening }
    guard thread.state == .sleeping else { return .running }
    guard !stoppedThreads.contains(thread.id) else { return .unknown }
    switch Platform.wait(of: thread.id, in: process) {
    case .forever, .unknown: return .unknown
    case .listens: return listensOutside ? .input : .listening
    case .input: return .input
    case .wakesByItself: return .outside
    case .timedFutex: return isWorker ? .idle : .outside
    }
  }

  private static func held(_ view: inout interlock_thread_view) -> [WaitSnapshot.Held] {
    let count = Int(view.held_count)
    return withUnsafeBytes(of: &view.held) { bytes in
      bytes.bindMemory(to: interlock_held.self).prefix(count).compactMap { held in
        guard let kind = kind(held.kind) else { return nil }
        return WaitSnapshot.Held(
          kind: kind, object: held.object, place: frames(held.place, held.outer),
          isLeft: held.is_left, leftBy: held.left_by == 0 ? nil : held.left_by)
      }
    }
  }

  private static func runs(
    _ view: inout interlock_thread_view, _ codes: BlockCodes?
  ) -> [WaitSnapshot.Run] {
    let count = Int(view.run_count)
    return withUnsafeBytes(of: &view.runs) { bytes in
      bytes.bindMemory(to: interlock_run.self).prefix(count).map { run in
        let flags = Int(run.flags)
        var result = WaitSnapshot.Run(
          queue: run.queue, place: frames(run.place), enqueuedBy: Int(run.enqueued_by),
          isBarrier: flags & INTERLOCK_FLAG_BARRIER != 0,
          isSynchronous: run.is_synchronous, isApply: flags & INTERLOCK_FLAG_APPLY != 0,
          isJob: flags & INTERLOCK_FLAG_JOB != 0,
          workItem: run.work_item == 0 ? nil : run.work_item,
          group: run.group == 0 ? nil : run.group,
          code: codes?.code(run.function, run.context, run.flags) ?? 0)
        // The context of a job is its task.
        result.task = result.isJob ? run.context : nil
        return result
      }
    }
  }

  /// True if a thread in a condition's call waits in the kernel for the condition's mutex.
  private static func isMutex(of view: interlock_thread_view, _ futex: Platform.Futex) -> Bool {
    futex.word &- view.wait_other < UInt(MemoryLayout<pthread_mutex_t>.size)
  }

  /// The wait of a sleeping thread according to the table; `nil` if the table has none, or if the
  /// kernel shows the thread elsewhere, just before or just after that wait.
  private func wait(
    _ view: interlock_thread_view, of thread: Platform.Thread, in process: Int32
  ) -> WaitSnapshot.Wait? {
    guard view.wait_kind != 0, var kind = Self.kind(view.wait_kind) else { return nil }
    var object = view.wait_object
    let flags = Int(view.wait_flags)
    var hasTimeLimit = flags & INTERLOCK_FLAG_TIME_LIMIT != 0
    // A stopped thread waits for its engine in the kernel.
    let futex = stoppedThreads.isEmpty ? Platform.futex(of: thread.id, in: process) : nil
    // After the condition, the thread may wait for the mutex, which has no time limit.
    if kind == .condition, let futex, Self.isMutex(of: view, futex) {
      kind = .mutex
      object = view.wait_other
      hasTimeLimit = false
    }
    var result = WaitSnapshot.Wait(
      kind: kind, object: object, place: Self.frames(view.wait_place, view.wait_outer),
      hasTimeLimit: hasTimeLimit,
      isBarrier: flags & INTERLOCK_FLAG_BARRIER != 0,
      isApply: flags & INTERLOCK_FLAG_APPLY != 0)
    // glibc waits in this way for the end of a thread too, and for a robust mutex, in memory that
    // no other process has.
    if let futex, !futex.isPrivate, kind != .thread {
      result.isShared = Platform.isShared(futex.word) ?? true
    }
    return result
  }

  /// Replaces the thread handles in join calls by thread numbers.
  static func nameJoined(
    in threads: inout [WaitSnapshot.Thread], known views: [interlock_thread_view]
  ) {
    let numbers = Dictionary(
      views.map { ($0.handle, UInt($0.number)) }, uniquingKeysWith: { $1 })
    for index in threads.indices where threads[index].wait?.kind == .thread {
      let handle = threads[index].wait?.object ?? 0
      threads[index].wait?.object = numbers[handle] ?? handle
    }
  }
}
