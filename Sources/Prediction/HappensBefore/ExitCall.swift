import CMarks
import CInterlockAnalysis
import CInterlockEvents

/// Where a process ends.
enum ExitCall {
  /// `main` has returned.
  case byMain
  /// Code has called `exit`: the return addresses of the functions on the stack, innermost first.
  case from([UInt])

  /// The call of `exit` that runs the exit handler on the calling thread; `nil` if the frames do
  /// not show it.
  static var current: Self? {
    let most = 1_000
    let frames = [UInt](unsafeUninitializedCapacity: most) {
      $1 = interlock_unwind_frames($0.baseAddress, most)
    }
    // First the handler's own frames, then the C library's `exit`.
    let callers = frames.drop(while: interlock_events_is_users)
      .drop { !interlock_events_is_users($0) }
    guard let first = callers.first, frames.count < most else { return nil }
    return CodeJudge.symbol(first - 1) == "_start" ? .byMain : .from(Array(callers))
  }
}
