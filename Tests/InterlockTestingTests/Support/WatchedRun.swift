import Foundation
import TestSupport
import Testing

/// A run of `Tests/WatchedTests`, or of another program of tests, in a separate process.
struct WatchedRun {
  /// An issue that the process recorded.
  struct Found: CustomStringConvertible {
    var test: String
    /// The innermost suite of the test; empty for none.
    var suite: String
    var text: String
    var place: String
    var isKnown: Bool

    var description: String { "\(suite)/\(test) \(place)\(isKnown ? " known" : ""): \(text)" }
  }

  /// The exit status, or the negated number of a signal.
  var status: Int32
  var output: String
  /// Only Swift Testing's issues.
  var issues: [Found]

  /// Runs the tests of a library that a filter selects. Kills the process if it does not end. With
  /// version 0 of the event stream, Swift Testing leaves warnings out, also from its output.
  init(
    _ library: String, _ filter: String, of program: String = "WatchedTests",
    environment: [String: String] = [:], version: String = "0", arguments: [String] = [],
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("interlock-watched-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appendingPathComponent("output")
    let events = folder.appendingPathComponent("events")
    try Data().write(to: output)
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let process = Process()
    process.executableURL = URL(fileURLWithPath: own).deletingLastPathComponent()
      .appendingPathComponent(program)
    process.arguments =
      library == "xctest"
      ? ["WatchedTests.\(filter)"]
      : [
        "--testing-library", library, "--filter", filter, "--event-stream-output-path",
        events.path, "--event-stream-version", version,
      ] + arguments
    var variables = ProcessInfo.processInfo.environment
    variables["INTERLOCK_OPTIONS"] = nil
    process.environment = variables.merging(environment) { $1 }
    let handle = try FileHandle(forWritingTo: output)
    process.standardOutput = handle
    process.standardError = handle
    process.standardInput = FileHandle.nullDevice
    let hasEnded = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in hasEnded.signal() }
    try ProcessStart.alone { try process.run() }
    if hasEnded.wait(timeout: .now() + 300) == .timedOut {
      kill(process.processIdentifier, SIGKILL)
      hasEnded.wait()
      Issue.record("the process did not end within 300 s", sourceLocation: location)
    }
    let number = process.terminationStatus
    status = process.terminationReason == .uncaughtSignal ? -number : number
    self.output = String(decoding: try Data(contentsOf: output), as: UTF8.self)
    let lines = (try? String(contentsOf: events, encoding: .utf8)) ?? ""
    issues = lines.split(separator: "\n").compactMap { Self.issue(in: Data($0.utf8)) }
  }

  private static func issue(in line: Data) -> Found? {
    guard let object = try? JSONSerialization.jsonObject(with: line) as? [String: Any],
      let payload = object["payload"] as? [String: Any],
      payload["kind"] as? String == "issueRecorded",
      let issue = payload["issue"] as? [String: Any],
      let messages = payload["messages"] as? [[String: Any]]
    else { return nil }
    let place = issue["sourceLocation"] as? [String: Any]
    let file = (place?["fileID"] as? String)?.split(separator: "/").last ?? ""
    let test = (payload["testID"] as? String ?? "").split(separator: "/").map(String.init)
    return Found(
      test: test.dropLast().last ?? "", suite: test.dropLast(2).last ?? "",
      text: messages.compactMap { $0["text"] as? String }.joined(separator: "\n"),
      place: "\(file):\(place?["line"] ?? "")", isKnown: issue["isKnown"] as? Bool ?? false)
  }

  /// The line of a file of `Tests/WatchedTests`, or of tests beside it, that ends in `// mark`:
  /// `File.swift:12`.
  static func line(
    _ mark: String, in file: String, of executable: String = "WatchedTests",
    _ here: String = #filePath
  ) throws -> String {
    let url = URL(fileURLWithPath: here).deletingLastPathComponent()
      .appendingPathComponent("../\(executable)/\(file)")
    let lines = try String(contentsOf: url, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
    let index = try #require(lines.firstIndex { $0.hasSuffix("// \(mark)") })
    return "\(file):\(index + 1)"
  }
}
