import Foundation
import InterlockWatchdog
import Testing

/// The call of `stress` that a child process executes, passed in the child's environment.
struct IsolatedCall: Codable, Hashable {
  private static let variable = "INTERLOCK_ISOLATED_CALL"

  /// The identity of the call: the test, its line, and the arguments of the test's case.
  struct Identity: Codable, Hashable {
    var name: String
    var line: Int
    var column: Int
    var arguments: [String]

    init(_ name: String, at location: SourceLocation) {
      self.name = name
      line = location.line
      column = location.column
      arguments = Test.Case.current.map(InterlockWatchdog.arguments(ofTestCase:)) ?? []
    }
  }

  var identity: Identity
  /// The string that repeats the run. Parent and child print the same one.
  var replay: String
  /// The path of the file to which the child writes its issues.
  var channel: String

  /// The call that this process executes; `nil` if it is not such a child.
  static let current: IsolatedCall? = {
    guard let text = ProcessInfo.processInfo.environment[variable] else { return nil }
    return try? JSONDecoder().decode(IsolatedCall.self, from: Data(text.utf8))
  }()

  /// The child's environment: that of this process, without the options for report files, which the
  /// child would overwrite.
  var environment: [String: String] {
    var variables = ProcessInfo.processInfo.environment
    let options = (variables["INTERLOCK_OPTIONS"] ?? "").split(separator: " ")
      .filter { !$0.hasPrefix("report=") && !$0.hasPrefix("quiet=") }
    // Report hangs on standard output, which this process reads. Do not print which checks are on:
    // those lines are no part of an issue.
    variables["INTERLOCK_OPTIONS"] =
      (options + ["report=xcode", "quiet=on"]).joined(separator: " ")
    variables["SWIFT_BACKTRACE"] =
      "enable=yes,color=no,interactive=no,threads=crashed,images=none,registers=none,limit=32"
    let text = (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) }
    variables[Self.variable] = text
    return variables
  }
}
