import Foundation
import InterlockWatchdog
import Testing

/// The call of `stress` that a child process is for, in the child's environment.
struct IsolatedCall: Codable, Hashable {
  private static let variable = "INTERLOCK_ISOLATED_CALL"

  /// What identifies the call: the test, its line, and the arguments of the test's case.
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
  /// The string that repeats the run: both processes name the same one.
  var replay: String
  /// The file that the child writes its issues to.
  var channel: String

  /// The call that this process is for; `nil` in a process that is no child.
  static let current: IsolatedCall? = {
    guard let text = ProcessInfo.processInfo.environment[variable] else { return nil }
    return try? JSONDecoder().decode(IsolatedCall.self, from: Data(text.utf8))
  }()

  /// The environment of the child: that of this process, without its reports, which the child would
  /// overwrite.
  var environment: [String: String] {
    var variables = ProcessInfo.processInfo.environment
    let options = (variables["INTERLOCK_OPTIONS"] ?? "").split(separator: " ")
      .filter { !$0.hasPrefix("report=") && !$0.hasPrefix("quiet=") }
    // On standard output, which this process reads: the lines of a hang. What is armed is no part
    // of an issue.
    variables["INTERLOCK_OPTIONS"] =
      (options + ["report=xcode", "quiet=on"]).joined(separator: " ")
    variables["SWIFT_BACKTRACE"] =
      "enable=yes,color=no,interactive=no,threads=crashed,images=none,registers=none,limit=32"
    let text = (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) }
    variables[Self.variable] = text
    return variables
  }
}
