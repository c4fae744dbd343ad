import Foundation
import HangReports
import Interlock
import ProcessInspection
import StressRunner
import Hangs

/// The message of a crash.
enum CrashMessage {
  static func message(
    _ crash: Verdict.Crash, _ seen: Observation, _ limits: Limits
  ) -> String {
    switch crash {
    case .signal(let number, let trap, let diagnosis):
      let explanation = diagnosis.map { Explanation($0, of: seen.waits ?? WaitSnapshot()) }
      // The first detail is the line of the nested call.
      let own = explanation.map { [$0.headline] + $0.details.prefix(1) } ?? []
      return (own + signal(number, trap, seen)).joined(separator: "; ")
    case .outOfMemory(let mebibytes):
      return "stopped: \(mebibytes) MiB of resident memory, more than the"
        + " \(limits.memoryMebibytes) MiB allowed; \(progressText(seen))"
    case .flooded(let bytes):
      return "stopped: it wrote \(bytes >> 20) MiB of output, more than the"
        + " \(Limits.outputBytes >> 20) MiB allowed; \(progressText(seen))"
    case .floodedEvents(let bytes):
      return "stopped: it wrote \(bytes) bytes to the pipe on which its process reports, and a"
        + " subject must not write there; \(progressText(seen))"
    case .exited(let code):
      return seen.finished
        ? "exited with code \(code) after the workload had ended"
        : "exited with code \(code) before the workload ended; \(progressText(seen))"
    }
  }

  /// The reason for the trap, the signal, and the line of user code.
  private static func signal(
    _ number: Int32, _ trap: Verdict.Trap?, _ seen: Observation
  ) -> [String] {
    var parts = trap.map { [text($0)] } ?? []
    parts.append(death(number))
    // The backtracer demangles names. At a trap, the runtime's own functions are innermost.
    if let frame = seen.crash?.stack.first(where: { !$0.isSystem && $0.function != nil }) {
      parts.append("in \(frame)")
    }
    return parts + [seen.finished ? "after the workload had ended" : progressText(seen)]
  }

  private static func text(_ trap: Verdict.Trap) -> String {
    switch trap {
    case .syncOnOwnQueue: "dispatch_sync on a queue that this thread already holds"
    case .semaphoreFreed:
      "a semaphore was freed while a thread waited on it, or below its initial value"
    case .groupOverleft: "a group was left more often than entered"
    case .said(let line): line
    }
  }

  /// `died of SIGSEGV (bad memory access)`: the signal and its usual meaning.
  static func death(_ number: Int32) -> String {
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
}
