import CInterlockExplorer
import Foundation
import Testing

/// What the test child found when it explored a body.
struct Exploration {
  /// The exit code, or the negated number of the signal that ended the child.
  let status: Int32
  private let lines: [String: String]

  init(
    _ body: String, _ options: String..., limit: Double = 60,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: own).deletingLastPathComponent()
      .appendingPathComponent("ExplorerTestChild")
    process.arguments = [body] + options
    var environment = ProcessInfo.processInfo.environment
    // Swift's own backtracer waits for threads that never answer: the logical ones.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    process.environment = environment
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    let hasEnded = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in hasEnded.signal() }
    try process.run()
    let limiter = DispatchWorkItem {
      Issue.record("the child did not end within \(limit) s", sourceLocation: location)
      kill(process.processIdentifier, SIGKILL)
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: limiter)
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    hasEnded.wait()
    limiter.cancel()
    status =
      process.terminationReason == .uncaughtSignal
      ? -process.terminationStatus : process.terminationStatus
    lines = Dictionary(
      text.split(separator: "\n").compactMap { line in
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
      }, uniquingKeysWith: { $1 })
    #expect(lines["verdict"] != nil, "the child printed nothing", sourceLocation: location)
  }

  private func number(_ name: String) -> Int { lines[name].flatMap { Int($0) } ?? -1 }

  var executions: Int { number("executions") }
  var failures: Int { number("failures") }
  var leftBehind: Int { number("left") }
  var isComplete: Bool { lines["complete"] == "true" }
  var cut: Int { number("cut") }
  var stillBlocked: Int { number("blocked") }
  var acquisitions: Int { number("acquisitions") }
  var unanswered: Int { number("unanswered") }
  var unreleased: Int { number("unreleased") }
  var eventErrors: Int { number("errors") }
  /// The width of the pool whose workers all wait while blocks wait for one; 0 for none.
  var dryPoolWidth: Int { number("dry") }
  var seconds: Double { Double(number("nanoseconds")) / 1e9 }
  var signal: Int32 { Int32(number("signal")) }
  var verdict: interlock_explored_verdict {
    interlock_explored_verdict(rawValue: UInt32(max(number("verdict"), 0)))
  }
  var text: String { lines["text"] ?? "" }
  var hash: String { lines["hash"] ?? "" }
  /// What the executions have shown, as a replay needs it.
  var facts: String { lines["facts"] ?? "" }
  var choices: String { lines["choices"] ?? "" }
  var escaped: String { lines["escaped"] ?? "" }
  /// How the two sides of a race were seen, and where they are.
  var race: String { lines["race"] ?? "" }
  var outcomes: [String] {
    (lines["outcomes"] ?? "").split(separator: "; ").map(String.init)
  }
}
