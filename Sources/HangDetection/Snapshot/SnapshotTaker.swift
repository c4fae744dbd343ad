import CInterlock
import CInterlockEvents
import CInterlockHarness
import Foundation
import Interlock
import ProcessInspection
package import WaitForGraph

/// Makes snapshots of this process: from the wait table, and from what the system says of its
/// threads.
///
/// Not for use by several threads at once. The thread that uses it must be hidden from the events.
package struct SnapshotTaker {
  /// Threads that are the harness's own: a monitor, a sanitizer's.
  package var ignoredThreads: Set<Int> = []
  /// Descriptors by which nobody outside wakes this process.
  package var ignoredDescriptors: Set<Int> = []
  /// Whether having nothing to do is in order for this process.
  package var mayRest = false

  /// So many threads are looked at.
  private static let mostThreads = 16_384

  /// Makes a taker.
  package init() {}

  /// Whether a look would find something: whether the calls of this process are seen.
  package static var isAvailable: Bool { interlock_waits_started() }

  /// Why the calls of this process are not seen, in words; `nil` where they are.
  package static var blindness: String? {
    switch interlock_events_available() {
    case INTERLOCK_EVENTS_ALL: nil
    case INTERLOCK_EVENTS_WITHOUT_DISPATCH:
      "Dispatch is linked in statically, so its calls are not seen"
    case INTERLOCK_EVENTS_NONE_SANITIZER:
      "this build does not see the calls that wait and wake: ThreadSanitizer is built in"
    case INTERLOCK_EVENTS_NONE_LAYOUT: layoutsLost(.max)
    default: "the calls that wait and wake are not seen on this system"
    }
  }

  /// Why one of these private layouts cannot be relied on, in words; `nil` where all hold.
  package static func layoutsLost(_ among: UInt32) -> String? {
    interlock_layouts_lost(among).map { String(cString: $0) }
  }

  /// What was seen at one moment, and what tells whether that has passed.
  package struct Taken {
    /// The snapshot.
    package var snapshot: WaitSnapshot
    /// The sum of all events, before anything was looked at.
    package var progress: UInt64
    /// How often each thread had been switched.
    package var switches: [Int: Int]
    /// The threads of which only the events say whether they go on: that they run now and then says
    /// nothing. They wait without sleeping, poll a run loop, or are a pool's threads without work.
    package var toldByEvents: Set<Int> = []
  }

  /// Looks at everything once. While it looks, threads may go on: only what `hasMoved(since:)` says
  /// did not happen was one moment.
  package func take(selfWait: WaitSnapshot.SelfWait? = nil) -> Taken {
    let progress = interlock_waits_progress()
    let process = getpid()
    let system = Platform.threads(of: process).filter { !ignoredThreads.contains($0.id) }
    let views = Self.threadViews()
    let known = Dictionary(views.map { (Int($0.number), $0) }, uniquingKeysWith: { $1 })
    let listensOutside = Platform.listensOutside(process, ignoring: ignoredDescriptors)
    var threads = system.map { thread in
      // With more threads than this no pool may grow, and what its blocks run decides nothing.
      self.thread(
        thread, view: known[thread.id], process: process, listensOutside: listensOutside,
        readsCode: system.count <= ActivityLog.mostLookedAt)
    }
    Self.correctHolders(in: &threads)
    Self.nameJoined(in: &threads, known: views)
    let queues = queues(for: threads)
    let signals = signals(for: threads)
    var snapshot = WaitSnapshot(
      threads: threads.sorted { $0.id < $1.id }, queues: queues, signals: signals,
      processors: Self.processors, isPartial: interlock_waits_is_partial(),
      nextTimer: Platform.timers(of: process).filter { !Self.isHousekeeping($0) }
        .map(\.seconds).min(),
      mayRest: mayRest, selfWait: selfWait)
    snapshot.leftLocks = Self.leftLocks(for: threads)
    snapshot.awaits = Self.awaits(besides: threads)
    snapshot.actorTypes = Self.actorTypes(of: snapshot.awaits)
    return Taken(
      snapshot: snapshot, progress: progress,
      switches: Dictionary(
        system.map { ($0.id, $0.switches) }, uniquingKeysWith: { first, _ in first }),
      toldByEvents: Set(
        system.filter { thread in
          guard let view = known[thread.id] else { return false }
          if Self.polls(thread, view) { return true }
          return thread.state == .sleeping ? Self.hasNoWork(view) : Self.asksInVain(view)
        }.map(\.id)
          + threads.filter { $0.elsewhere == .listening && !$0.isMain && $0.runs.isEmpty }.map(\.id)
      ))
  }

  /// The number of all that has happened, where it is not what it was.
  ///
  /// A thread that polls its run loop has it greater for a moment, ten times a second.
  package static func progress(after last: UInt64) -> UInt64 {
    var count = interlock_waits_progress()
    for _ in 0..<4 where count != last {
      var pause = timespec(tv_sec: 0, tv_nsec: 2_000_000)
      nanosleep(&pause, nil)
      count = interlock_waits_progress()
    }
    return count
  }

  /// Whether a thread only polls its run loop. One that runs for a second in one poll is in what
  /// the loop has called.
  private static func polls(_ thread: Platform.Thread, _ view: interlock_thread_view) -> Bool {
    view.polls_since != 0
      && (thread.state == .sleeping || Platform.now - Double(view.polls_since) / 1e9 < 1)
  }

  private static func hasNoWork(_ view: interlock_thread_view) -> Bool {
    view.wait_kind == INTERLOCK_OBJECT_IDLE.rawValue && view.run_count == 0
  }

  /// Whether a thread has come, gone, made a call or run since the look began.
  package func hasMoved(since taken: Taken) -> Bool {
    guard Self.progress(after: taken.progress) == taken.progress else { return true }
    let now = Platform.threads(of: getpid()).filter { !ignoredThreads.contains($0.id) }
    guard now.count == taken.switches.count else { return true }
    return now.contains {
      ($0.state != .sleeping || $0.switches != taken.switches[$0.id])
        && !taken.toldByEvents.contains($0.id)
    }
  }

  /// How often the threads were switched, all together, those that were ignored left out.
  package func switches() -> UInt64 {
    Platform.threads(of: getpid()).reduce(0) {
      ignoredThreads.contains($1.id) ? $0 : $0 &+ UInt64($1.switches) &+ UInt64($1.id)
    }
  }

  /// How many processors the pools of this process were made for.
  package static var processors: Int {
    let told = Int(interlock_pool_width())
    return told > 0 ? told : max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }

  /// Dispatch's pools have a timer of one second that only lets them grow; a user's timer by that
  /// clock is a delayed block, or makes the snapshot a partial one.
  private static func isHousekeeping(_ timer: Platform.Timer) -> Bool {
    timer.isMonotonic && timer.seconds <= 1.05
  }

  /// The threads that wait for a lock or a queue without a limit, and the tasks that wait for
  /// tasks; with a number of each that changes when it goes on.
  package static func lockWaits() -> [Int: UInt64] {
    var found: [Int: UInt64] = [:]
    for view in threadViews() {
      guard Int(view.wait_flags) & INTERLOCK_FLAG_TIME_LIMIT == 0 else { continue }
      switch interlock_object_kind(view.wait_kind) {
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

  static func threadViews() -> [interlock_thread_view] {
    // First only how many there are: a record takes most of a kilobyte.
    let count = min(interlock_waits_threads(nil, 0) + 64, mostThreads)
    return [interlock_thread_view](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = min(interlock_waits_threads(buffer.baseAddress, count), count)
    }
  }

  private func thread(
    _ thread: Platform.Thread, view: interlock_thread_view?, process: Int32, listensOutside: Bool,
    readsCode: Bool
  ) -> WaitSnapshot.Thread {
    var result = WaitSnapshot.Thread(
      id: thread.id, name: thread.name, isMain: thread.id == Int(process))
    if var view {
      result.held = Self.held(&view)
      result.runs = Self.runs(&view, readsCode: readsCode)
      result.pool = view.pool == 0 ? nil : view.pool
      result.startedBy = Int(view.started_by)
      result.isPartial = view.untold > 0
      if thread.state == .sleeping, Self.hasNoWork(view) {
        result.elsewhere = .idle
        return result
      }
      if thread.state == .sleeping || Self.asksInVain(view),
        let wait = Self.wait(view, of: thread, in: process)
      {
        result.wait = wait
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

  /// Whether a thread that does not sleep waits all the same: of a ring of initialisers the kernel
  /// lets the last not wait, which the runtime asks again then, for ever.
  ///
  /// The kernel hands an initialiser over before the next thread runs: a thread that has it by the
  /// kernel's word alone is on its way. One that `dispatch_once` runs is waited for asleep, or ends
  /// the process.
  private static func asksInVain(_ view: interlock_thread_view) -> Bool {
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
    // Its run loop's poll may have a limit, or nothing to wait for, and it polls again after that.
    if polls { return listensOutside ? .outside : .listening }
    guard thread.state == .sleeping else { return .running }
    switch Platform.wait(of: thread.id, in: process) {
    case .forever, .unknown: return .unknown
    case .listens: return listensOutside ? .outside : .listening
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
          kind: kind, object: held.object, place: frames(held.place, held.outer))
      }
    }
  }

  private static func runs(
    _ view: inout interlock_thread_view, readsCode: Bool
  ) -> [WaitSnapshot.Run] {
    let count = Int(view.run_count)
    return withUnsafeBytes(of: &view.runs) { bytes in
      bytes.bindMemory(to: interlock_run.self).prefix(count).map { run in
        let flags = Int(run.flags)
        return WaitSnapshot.Run(
          queue: run.queue, place: frames(run.place), enqueuedBy: Int(run.enqueued_by),
          isBarrier: flags & INTERLOCK_FLAG_BARRIER != 0,
          isSynchronous: run.is_synchronous, isApply: flags & INTERLOCK_FLAG_APPLY != 0,
          isJob: flags & INTERLOCK_FLAG_JOB != 0,
          workItem: run.work_item == 0 ? nil : run.work_item,
          group: run.group == 0 ? nil : run.group,
          code: readsCode ? interlock_waits_code(run.function, run.context, run.flags) : 0)
      }
    }
  }

  /// What the table says that a sleeping thread waits for; `nil` where it does not, or where the
  /// kernel says that it is elsewhere, on its way to that wait or back from it.
  private static func wait(
    _ view: interlock_thread_view, of thread: Platform.Thread, in process: Int32
  ) -> WaitSnapshot.Wait? {
    guard view.wait_kind != 0, var kind = kind(view.wait_kind) else { return nil }
    var object = view.wait_object
    // Back from the condition, it may wait for the mutex: the kernel has the word.
    if kind == .condition, let word = Platform.futex(of: thread.id, in: process),
      word &- view.wait_other < UInt(MemoryLayout<pthread_mutex_t>.size)
    {
      kind = .mutex
      object = view.wait_other
    }
    let flags = Int(view.wait_flags)
    return WaitSnapshot.Wait(
      kind: kind, object: object, place: frames(view.wait_place, view.wait_outer),
      hasTimeLimit: flags & INTERLOCK_FLAG_TIME_LIMIT != 0,
      isBarrier: flags & INTERLOCK_FLAG_BARRIER != 0,
      isApply: flags & INTERLOCK_FLAG_APPLY != 0)
  }

  /// Puts right who holds the locks that are waited for, by the words of the locks themselves: they
  /// were perhaps taken before anybody looked, or given up by another thread, and a contended Swift
  /// mutex tells its holder only there.
  static func correctHolders(in threads: inout [WaitSnapshot.Thread]) {
    var owners: [UInt: Int] = [:]
    var kinds: [UInt: WaitSnapshot.ObjectKind] = [:]
    for wait in threads.compactMap(\.wait) where owners[wait.object] == nil {
      switch wait.kind {
      case .mutex: owners[wait.object] = Int(interlock_mutex_owner(wait.object))
      case .readLock, .writeLock:
        // It knows only its writer.
        let writer = Int(interlock_lock_writer(wait.object))
        guard writer != 0 else { continue }
        owners[wait.object] = writer
        kinds[wait.object] = .writeLock
        continue
      case .swiftMutex: owners[wait.object] = ownerOfFutex(wait.object)
      case .initializer: owners[wait.object] = ownerOfOnce(wait.object)?.thread
      default: continue
      }
      kinds[wait.object] = wait.kind
    }
    guard !owners.isEmpty else { return }
    for index in threads.indices {
      let id = threads[index].id
      threads[index].held.removeAll { owners[$0.object].map { $0 != id } ?? false }
      for (object, owner) in owners where owner == id {
        guard !threads[index].held.contains(where: { $0.object == object }),
          let kind = kinds[object]
        else { continue }
        threads[index].held.append(WaitSnapshot.Held(kind: kind, object: object))
      }
    }
  }

  /// The thread that is in an initialiser, 0 for none, by whose function runs it.
  private enum OnceOwner {
    case swift(Int)
    case dispatch(Int)

    var thread: Int {
      switch self {
      case .swift(let thread), .dispatch(let thread): thread
      }
    }
  }

  /// `dispatch_once` has the thread in the first of two words, `swift_once` in the second, with 0
  /// in the first; both have all bits set in the first when it is done.
  private static func ownerOfOnce(_ address: UInt) -> OnceOwner? {
    var word: UInt32 = 0
    guard interlock_peek(address, &word, 4) else { return nil }
    if word == .max { return .swift(0) }
    if word != 0 { return ownerOfFutex(address).map { .dispatch($0) } }
    return ownerOfFutex(address + 4).map { .swift($0) }
  }

  /// The thread that has a lock which has its holder in its word.
  private static func ownerOfFutex(_ address: UInt) -> Int? {
    var word: UInt32 = 0
    guard interlock_peek(address, &word, 4) else { return nil }
    // Below the kernel's two bits for waiters and for a holder that died.
    return Int(word & 0x3fff_ffff)
  }

  /// Says which threads are joined, by their numbers: a call has them by their handles.
  private static func nameJoined(
    in threads: inout [WaitSnapshot.Thread], known views: [interlock_thread_view]
  ) {
    let numbers = Dictionary(
      views.map { ($0.handle, UInt($0.number)) }, uniquingKeysWith: { $1 })
    for index in threads.indices where threads[index].wait?.kind == .thread {
      let handle = threads[index].wait?.object ?? 0
      threads[index].wait?.object = numbers[handle] ?? handle
    }
  }

  static func kind(_ raw: UInt32) -> WaitSnapshot.ObjectKind? {
    switch interlock_object_kind(raw) {
    case INTERLOCK_OBJECT_MUTEX: .mutex
    case INTERLOCK_OBJECT_READ_LOCK: .readLock
    case INTERLOCK_OBJECT_WRITE_LOCK: .writeLock
    case INTERLOCK_OBJECT_CONDITION: .condition
    case INTERLOCK_OBJECT_SEMAPHORE: .semaphore
    case INTERLOCK_OBJECT_GROUP: .group
    case INTERLOCK_OBJECT_QUEUE: .queue
    case INTERLOCK_OBJECT_FUTEX: .futex
    case INTERLOCK_OBJECT_OWNED_FUTEX: .swiftMutex
    case INTERLOCK_OBJECT_WORK_ITEM: .workItem
    case INTERLOCK_OBJECT_THREAD: .thread
    case INTERLOCK_OBJECT_CONTINUATION: .continuation
    case INTERLOCK_OBJECT_STREAM: .stream
    case INTERLOCK_OBJECT_ONCE: .initializer
    case INTERLOCK_OBJECT_TASK: .task
    case INTERLOCK_OBJECT_ACTOR: .actor
    case INTERLOCK_OBJECT_TASK_GROUP: .taskGroup
    default: nil
    }
  }

  /// A place, and where that was called, if it is known.
  static func frames(_ place: UInt, _ outer: UInt = 0) -> [StackFrame] {
    [place, outer].filter { $0 != 0 }.map { StackFrame(address: $0) }
  }
}
