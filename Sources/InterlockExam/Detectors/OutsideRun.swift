import Foundation

/// A run of a program in a separate process, with a detector built in or around it.
struct OutsideRun {
  /// How the process ended.
  enum Ending: Equatable {
    /// The process exited with this code.
    case exited(Int32)
    /// The process ended by a signal that this process did not send.
    case killed(signal: Int32)
    /// The process reached the time limit, and this process killed it.
    case overTime
    /// The process could not be started.
    case notStarted(String)
  }

  /// The exit code of a process with a report: ThreadSanitizer's default, and set for Valgrind.
  static let reportCode: Int32 = 66

  /// How the process ended.
  private(set) var ending: Ending
  /// Its standard output and standard error.
  private(set) var output = ""

  /// Runs a program and waits for its end; kills it at the time limit.
  ///
  /// - Parameters:
  ///   - command: The path of the executable, and its arguments.
  ///   - variables: Variables to add to this process's environment, without detectors' options.
  ///   - seconds: The time limit.
  init(_ command: [String], variables: [String: String] = [:], limit seconds: Double = 60) {
    let path = NSTemporaryDirectory() + "interlock-detector-\(UUID().uuidString)"
    defer { unlink(path) }
    guard let executable = command.first,
      FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forUpdatingAtPath: path)
    else {
      ending = .notStarted("its output cannot be kept in \(path)")
      return
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = Array(command.dropFirst())
    process.environment = ProcessInfo.processInfo.environment
      .filter { !["TSAN_OPTIONS", "INTERLOCK_OPTIONS"].contains($0.key) }
      .merging(variables) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = file
    process.standardError = file
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    do {
      try process.run()
    } catch {
      ending = .notStarted("'\(executable)' could not be started")
      return
    }
    let isOverTime = ended.wait(timeout: .now() + seconds) == .timedOut
    if isOverTime {
      kill(process.processIdentifier, SIGKILL)
      ended.wait()
    }
    output = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    ending =
      switch (isOverTime, process.terminationReason) {
      case (true, _): .overTime
      case (_, .uncaughtSignal): .killed(signal: process.terminationStatus)
      default: .exited(process.terminationStatus)
      }
  }
}
