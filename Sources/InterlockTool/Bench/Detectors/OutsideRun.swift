import Foundation

/// A run of a program in a process of its own, with whatever detector is built in or stands around
/// it.
struct OutsideRun {
  /// How it ended.
  enum Ending: Equatable {
    /// By itself, with this code.
    case exited(Int32)
    /// By a signal that was not sent from here.
    case killed(signal: Int32)
    /// It was killed when its time was up.
    case overTime
    /// It could not be started.
    case notStarted(String)
  }

  /// What a process that has reported something ends with: ThreadSanitizer's, and asked for from
  /// Valgrind.
  static let reportCode: Int32 = 66

  /// How it ended.
  private(set) var ending: Ending
  /// What it wrote to standard output and standard error.
  private(set) var output = ""

  /// Runs it and waits for its end; it is killed after so many seconds.
  ///
  /// - Parameters:
  ///   - command: The path of the executable, and its arguments.
  ///   - variables: What its environment has beside this process's, of which it gets no detector's
  ///     options.
  ///   - seconds: Its time.
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
