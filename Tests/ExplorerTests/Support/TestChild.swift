import Foundation
import TestSupport
import Testing

/// A run of the test child, `ExplorerTestChild`.
struct TestChild {
  /// The exit code, or the negated number of the signal that ended the child.
  let status: Int32
  let output: String

  /// Runs the child. Its standard error is left out, or follows its output if `withErrors`.
  init(
    _ arguments: [String], limit: Double, withErrors: Bool = false, at location: SourceLocation
  ) throws {
    let process = Process()
    process.executableURL = try Self.executable()
    process.arguments = arguments
    var environment = ProcessInfo.processInfo.environment
    // Disabled: Swift's own backtracer waits for the logical threads, which never answer.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    process.environment = environment
    let hasEnded = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in hasEnded.signal() }
    let output = try ProcessStart.alone {
      let output = Pipe()
      process.standardOutput = output
      process.standardError = withErrors ? output : FileHandle.nullDevice as Any
      try process.run()
      return output
    }
    let limiter = DispatchWorkItem {
      Issue.record("the child did not end within \(limit) s", sourceLocation: location)
      kill(process.processIdentifier, SIGKILL)
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: limiter)
    self.output = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    hasEnded.wait()
    limiter.cancel()
    status =
      process.terminationReason == .uncaughtSignal
      ? -process.terminationStatus : process.terminationStatus
  }

  /// The test child's executable.
  static func executable() throws -> URL {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: own).deletingLastPathComponent()
      .appendingPathComponent("ExplorerTestChild")
  }

  /// The lines `name=value` of the output.
  var facts: [String: String] {
    Dictionary(
      output.split(separator: "\n").compactMap { line in
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
      }, uniquingKeysWith: { $1 })
  }
}
