import CMarks
import CInterlockAnalysis
import CInterlockEvents

/// How a process ends.
enum ExitCall {
  /// `main` has returned.
  case byMain
  /// Code calls `exit`. The associated value has the return addresses on the stack, innermost
  /// first.
  case from([UInt])

  /// The call of `exit` that runs the exit handler on the calling thread; `nil` if the frames do
  /// not show it.
  static var current: Self? {
    let most = 1_000
    let frames = [UInt](unsafeUninitializedCapacity: most) {
      $1 = interlock_unwind_frames($0.baseAddress, most)
    }
    // Drop the handler's own frames, then those of the C library's `exit`.
    let callers = frames.drop(while: interlock_events_is_users)
      .drop { !interlock_events_is_users($0) }
    guard let first = callers.first, frames.count < most else { return nil }
    return CodeJudge.symbol(first - 1) == "_start" ? .byMain : .from(Array(callers))
  }
}
