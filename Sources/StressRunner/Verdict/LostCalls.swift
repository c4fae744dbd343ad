import Interlock
import ProcessInspection

/// Calls that were accepted and that no thread will complete.
enum LostCalls {
  /// How many calls a stalled child has lost: every caller has begun, and no thread is in any code
  /// but the runner's, so none is blocked over a call either. `nil` where that is not so, or where
  /// a stack is missing to tell.
  static func count(in observation: Observation) -> Int? {
    guard observation.callersInside > 0, observation.callersWaiting == 0,
      !observation.threads.isEmpty, !observation.threads.contains(where: isAtWork)
    else { return nil }
    return observation.operations - observation.completed
  }

  /// Whether a group of threads is in a call, or may be.
  private static func isAtWork(_ group: Observation.ThreadGroup) -> Bool {
    guard !group.stack.isEmpty else { return true }
    // The innermost frame that is not the system's decides whose code waits.
    guard let frame = group.stack.first(where: { $0.isRunners || !$0.isSystem }) else {
      // A whole stack ends where the C library or libdispatch has started the thread. The
      // system's unwinder ends earlier in functions of Swift's libraries that have no unwind
      // table, as `wait(timeout:)`: whose code is further out is not known then.
      return group.stack.last.map { !$0.isPoolMachinery } ?? true
    }
    return !frame.isRunners && frame.function != nil
  }
}
