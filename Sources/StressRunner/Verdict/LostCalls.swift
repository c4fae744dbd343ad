import Interlock
import ProcessInspection

/// Calls that were accepted and that no thread will complete.
enum LostCalls {
  /// The number of calls that a stalled child has lost: every caller has begun, and no thread is in
  /// the subject's code, so no thread is blocked in a call. `nil` if a thread is blocked in a call,
  /// or a stack is missing.
  static func count(in observation: Observation) -> Int? {
    guard observation.callersInside > 0, observation.callersWaiting == 0,
      !observation.threads.isEmpty, !observation.threads.contains(where: isAtWork)
    else { return nil }
    return observation.operations - observation.completed
  }

  /// True if a group of threads is in a call, or may be.
  private static func isAtWork(_ group: Observation.ThreadGroup) -> Bool {
    guard !group.stack.isEmpty else { return true }
    // The innermost frame outside of the system shows whose code waits.
    guard let frame = group.stack.first(where: { $0.isRunners || !$0.isSystem }) else {
      // A complete stack ends where the C library or libdispatch has started the thread. The
      // system's unwinder stops earlier, in functions of Swift's libraries without an unwind table
      // such as `wait(timeout:)`. The calling code is then unknown.
      return group.stack.last.map { !$0.isPoolMachinery } ?? true
    }
    return !frame.isRunners && frame.function != nil
  }
}
