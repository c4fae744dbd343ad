import CInterlockAnalysis
import CInterlockEvents

/// Separates, while a process stands still, progress of the program from what Dispatch does by
/// itself.
///
/// A pool whose threads all wait gets one more thread a second; it takes the next block, which may
/// wait as the others do. A worker without work ends after five seconds. Both publish events, and
/// neither is progress: a process in which nothing else happens still stands still.
struct PoolHousekeeping {
  /// What has happened since the process last stood still.
  enum Change {
    /// Nothing but housekeeping.
    case none
    /// A new thread runs its first block, and may still wait in it.
    case undecided
    /// A thread went on, ended, or got work.
    case progress
  }

  private struct State {
    var sequence: UInt64
    var ended: UInt32
    var isIdle: Bool
    /// The place that enqueued the block in which it waits; 0 for none.
    var waitsIn: UInt
  }

  private var threads: [Int: State] = [:]

  /// Remembers the threads as they are now, to compare later ones with.
  mutating func restart(_ views: [interlock_thread_view]) {
    threads = Dictionary(
      views.map { (Int($0.number), Self.state($0)) }, uniquingKeysWith: { $1 })
  }

  /// What the threads have done since.
  func change(_ views: [interlock_thread_view]) -> Change {
    var missing = Set(threads.keys)
    var change = Change.none
    for view in views {
      missing.remove(Int(view.number))
      switch self.change(of: view) {
      case .none: break
      case .undecided: change = .undecided
      case .progress: return .progress
      }
    }
    return missing.allSatisfy { threads[$0]?.isIdle ?? false } ? change : .progress
  }

  private func change(of view: interlock_thread_view) -> Change {
    let now = Self.state(view)
    if let before = threads[Int(view.number)] {
      if before.sequence == now.sequence { return .none }
      // It was woken in vain, or is about to end: it has begun no block since.
      return before.isIdle && view.run_count == 0 && before.ended == now.ended ? .none : .progress
    }
    guard now.ended == 0 else { return .progress }
    if view.run_count == 0 {
      // A worker that has not begun yet. A thread that goes on started any other new thread.
      return view.wait_kind == 0 || view.wait_kind == INTERLOCK_OBJECT_IDLE.rawValue
        ? .undecided : .progress
    }
    guard view.pool != 0 else { return .progress }
    guard view.wait_kind != 0, Int(view.wait_flags) & INTERLOCK_FLAG_TIME_LIMIT == 0 else {
      return .undecided
    }
    // A block that another line enqueued than those that wait is progress.
    return threads.values.contains { $0.waitsIn == now.waitsIn } ? .none : .progress
  }

  private static func state(_ view: interlock_thread_view) -> State {
    State(
      sequence: view.sequence, ended: view.ended,
      isIdle: view.run_count == 0 && view.wait_kind == INTERLOCK_OBJECT_IDLE.rawValue,
      waitsIn: view.run_count > 0 && view.wait_kind != 0 ? view.runs.0.place : 0)
  }
}
