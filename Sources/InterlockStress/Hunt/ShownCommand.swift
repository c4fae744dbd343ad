import CInterlockHarness
import Foundation
import StressRunner

/// A command of another tool whose output goes where that of this process goes.
package enum ShownCommand {
  /// How a command ended.
  package enum Ending: Sendable, Hashable {
    /// With an exit code.
    case exited(Int32)
    /// By a signal.
    case signal(Int32)
    /// An interrupt came to this process, which passed it on.
    case interrupted
  }

  /// Runs a command, which is searched in `PATH`, and waits for its end.
  ///
  /// An interrupt (SIGINT, SIGTERM, SIGHUP, SIGQUIT) is passed on as SIGINT.
  ///
  /// - Parameters:
  ///   - words: The command and its arguments.
  ///   - variables: Environment variables that are set for it, besides those of this process.
  ///   - folder: Its current folder.
  /// - Returns: How it ended.
  /// - Throws: `RunnerFault` if it cannot be run.
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
    // Not Foundation's wait, which also waits for the processes that the command leaves behind.
    while process.isRunning {
      if let ending = ending(of: command) { return isInterrupted ? .interrupted : ending }
      if interlock_interrupted(), !isInterrupted {
        isInterrupted = true
        interrupt(command)
      }
      // A signal of the terminal ends it early.
      _ = poll(nil, 0, 100)
    }
    if isInterrupted { return .interrupted }
    let number = process.terminationStatus
    return process.terminationReason == .exit ? .exited(number) : .signal(number)
  }

  /// How a command has ended, which Foundation still collects; `nil` if it runs.
  private static func ending(of command: pid_t) -> Ending? {
    var info = siginfo_t()
    guard waitid(P_PID, id_t(command), &info, WEXITED | WNOHANG | WNOWAIT) == 0,
      info.process == command
    else { return nil }
    return info.si_code == CLD_EXITED ? .exited(info.status) : .signal(info.status)
  }

  /// Interrupts a command, which may lead a group of its own that the terminal does not reach.
  private static func interrupt(_ command: pid_t) {
    kill(getpgid(command) == command ? -command : command, SIGINT)
  }
}

extension siginfo_t {
  // Members of a union, which Swift sees by these names.
  fileprivate var process: pid_t { _sifields._sigchld.si_pid }
  fileprivate var status: Int32 { _sifields._sigchld.si_status }
}
