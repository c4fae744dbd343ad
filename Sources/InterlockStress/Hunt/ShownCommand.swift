import CInterlockHarness
import Foundation
import StressRunner

/// A command of another tool that shares the output of this process.
package enum ShownCommand {
  /// How a command ended.
  package enum Ending: Sendable, Hashable {
    /// With an exit code.
    case exited(Int32)
    /// By a signal.
    case signal(Int32)
    /// This process received an interrupt, and passed it on.
    case interrupted
  }

  /// Runs a command, which is searched in `PATH`, and waits until it ends.
  ///
  /// An interrupt (SIGINT, SIGTERM, SIGHUP, SIGQUIT) is passed on as SIGINT.
  ///
  /// - Parameters:
  ///   - words: The command and its arguments.
  ///   - variables: Environment variables for the command, in addition to those of this process.
  ///   - folder: The current folder of the command.
  /// - Returns: How the command ended.
  /// - Throws: `RunnerFault` if the command cannot be run.
  package static let run: @Sendable ([String], [String: String], String) throws -> Ending = {
    words, variables, folder in
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.standardInput = FileHandle.nullDevice
    interlock_interrupts_begin()
    defer { interlock_interrupts_end() }
    do {
      try process.run()
    } catch {
      throw RunnerFault(reason: "'\(words[0])' cannot be run: \(error.localizedDescription)")
    }
    let command = process.processIdentifier
    var isInterrupted = false
    // Do not use Foundation's wait: it also waits for processes that the command leaves behind.
    while process.isRunning {
      if let ending = ending(of: command) { return isInterrupted ? .interrupted : ending }
      if interlock_interrupted(), !isInterrupted {
        isInterrupted = true
        interrupt(command)
      }
      // A signal from the terminal ends the pause early.
      _ = poll(nil, 0, 100)
    }
    if isInterrupted { return .interrupted }
    let number = process.terminationStatus
    return process.terminationReason == .exit ? .exited(number) : .signal(number)
  }

  /// How a command has ended; `nil` while it runs. Leaves the process for Foundation to reap.
  private static func ending(of command: pid_t) -> Ending? {
    var info = siginfo_t()
    guard waitid(P_PID, id_t(command), &info, WEXITED | WNOHANG | WNOWAIT) == 0,
      info.process == command
    else { return nil }
    return info.si_code == CLD_EXITED ? .exited(info.status) : .signal(info.status)
  }

  /// Interrupts a command. It may lead its own process group, which the terminal does not reach.
  private static func interrupt(_ command: pid_t) {
    kill(getpgid(command) == command ? -command : command, SIGINT)
  }
}

extension siginfo_t {
  // The members of a C union, as Swift imports them.
  fileprivate var process: pid_t { _sifields._sigchld.si_pid }
  fileprivate var status: Int32 { _sifields._sigchld.si_status }
}
