import Foundation
import Interlock
import ProcessInspection

/// A crash in one line: what it is in words, the signal, and the line of the user's code.
struct CrashSummary {
  /// The whole line.
  let message: String

  init(_ observation: Observation, signal: Int32) {
    let stack = observation.crash?.stack ?? []
    var parts = [Self.name(ofSignal: signal)]
    if let words = Self.words(for: stack, errorOutput: observation.errorOutput) {
      parts.insert(words, at: 0)
    }
    // The backtracer demangles, and a trap is reached through the runtime's own functions.
    if let frame = stack.first(where: { !$0.isSystem && $0.function != nil }) {
      parts.append("in \(frame)")
    }
    if observation.finished {
      parts.append("after the workload had ended")
    } else {
      parts.append(Judge.progress(observation))
    }
    message = parts.joined(separator: "; ")
  }

  /// The signal's name, and what it usually means.
  static func name(ofSignal number: Int32) -> String {
    let name: String? =
      switch number {
      case SIGHUP: "SIGHUP"
      case SIGINT: "SIGINT"
      case SIGQUIT: "SIGQUIT"
      case SIGILL: "SIGILL (a trap)"
      case SIGTRAP: "SIGTRAP (a trap)"
      case SIGABRT: "SIGABRT"
      case SIGBUS: "SIGBUS"
      case SIGFPE: "SIGFPE"
      case SIGKILL: "SIGKILL (not by the runner: perhaps the system was out of memory)"
      case SIGSEGV: "SIGSEGV (bad memory access)"
      case SIGPIPE: "SIGPIPE"
      case SIGALRM: "SIGALRM"
      case SIGTERM: "SIGTERM"
      default: nil
      }
    return "died of " + (name ?? "signal \(number)")
  }

  /// What went wrong, where the stack or the last words tell.
  private static func words(for stack: [StackFrame], errorOutput: String) -> String? {
    // libdispatch on Linux traps without a word; what it means is known from where it does.
    let top = stack.prefix(4).compactMap(\.function)
    if top.contains(where: { $0.contains("__DISPATCH_WAIT_FOR_QUEUE__") }) {
      return "dispatch_sync on a queue that this thread already holds"
    }
    if top.contains(where: { $0.contains("_dispatch_semaphore_dispose") }) {
      return "a semaphore was freed while a thread waited on it, or below its initial value"
    }
    if top.contains(where: { $0.contains("dispatch_group_leave") }) {
      return "a group was left more often than entered"
    }
    let lines = errorOutput.split(separator: "\n").map(String.init)
    return lines.last { $0.contains("Fatal error") || $0.contains("Precondition failed") }
      ?? lines.last { $0.contains("Assertion failed") }
  }
}
