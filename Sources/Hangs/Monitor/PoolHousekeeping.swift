import CInterlockAnalysis
import CInterlockEvents

/// Distinguishes the program's progress from Dispatch's own housekeeping, in a quiet process.
///
/// A pool whose threads all wait gets one more thread a second. The new thread takes the next
/// block, which may wait like the others. A worker without work ends after five seconds. Both
/// publish events, but neither is progress: a process in which nothing else happens is still quiet.
struct PoolHousekeeping {
  /// The changes since the process became quiet.
  enum Change {
    /// Only housekeeping.
    case none
    /// A new thread runs its first block, and may still wait in it.
    case undecided
    /// A thread continued, ended, or got work.
    case progress
  }

  private struct State {
    var sequence: UInt64
    var ended: UInt32
    var isIdle: Bool
    /// The place that enqueued the block in which the thread waits; 0 for none.
    var waitsIn: UInt
  }

  private var threads: [Int: State] = [:]

  /// Stores the current threads, to compare later states with.
  mutating func restart(_ views: [interlock_thread_view]) {
    threads = Dictionary(
      views.map { (Int($0.number), Self.state($0)) }, uniquingKeysWith: { $1 })
  }

  /// The change since `restart`.
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
      // A worker that was woken without work, or is about to end: it has begun no block since
      // `restart`.
      return before.isIdle && view.run_count == 0 && before.ended == now.ended ? .none : .progress
    }
    guard now.ended == 0 else { return .progress }
    if view.run_count == 0 {
      // A worker that has begun no block yet. Any other new thread was started by a running thread.
      return view.wait_kind == 0 || view.wait_kind == INTERLOCK_OBJECT_IDLE.rawValue
        ? .undecided : .progress
    }
    guard view.pool != 0 else { return .progress }
    guard view.wait_kind != 0, Int(view.wait_flags) & INTERLOCK_FLAG_TIME_LIMIT == 0 else {
      return .undecided
    }
    // A block from a line other than that of the waiting blocks is progress.
    return threads.values.contains { $0.waitsIn == now.waitsIn } ? .none : .progress
  }

  private static func state(_ view: interlock_thread_view) -> State {
    State(
      sequence: view.sequence, ended: view.ended,
      isIdle: view.run_count == 0 && view.wait_kind == INTERLOCK_OBJECT_IDLE.rawValue,
      waitsIn: view.run_count > 0 && view.wait_kind != 0 ? view.runs.0.place : 0)
  }
}
