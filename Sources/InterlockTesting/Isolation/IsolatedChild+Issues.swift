import Findings
import Foundation
import InterlockWatchdog
import Testing

extension IsolatedChild.Result {
  private static let mostLines = 60

  /// Returns the child's issues, and one for how it ended if that is an error. Adds the child's
  /// findings to the reports of this process.
  ///
  /// - Parameters:
  ///   - call: The location of the call. Files in issues are taken to belong to its module.
  ///   - note: Lines to add to the issue for the child's end.
  /// - Returns: The issues, in the order in which the child passed them.
  func issues(of call: SourceLocation, note: String) -> [PassedIssue] {
    var issues: [PassedIssue] = []
    for line in lines {
      switch line {
      case .issue(let issue): issues.append(issue)
      case .finding(let finding): noteForReports(finding)
      case .end: break
      }
    }
    guard summary == nil else { return issues }
    let (text, location) = ending(of: call)
    let rule: Rule = wasKilled ? .crash : status == HangWatchdog.exitCode ? .hang : .earlyExit
    let reason = noteForReports(rule, text, at: location ?? call)
    var issue = PassedIssue(known(reason, text) + "\n" + note, at: location ?? call)
    issue.isWarning = reason != nil
    issues.append(issue)
    return issues
  }

  /// The child's summary of a stress that ran to its end; `nil` if it did not.
  var summary: String? {
    for case .end(let summary) in lines { return summary }
    return nil
  }

  private func ending(of call: SourceLocation) -> (String, SourceLocation?) {
    if !wasKilled, status == HangWatchdog.exitCode {
      let report = self.report(from: "interlock: this process", upTo: "  all ")
      return ("the stress hangs: its process was ended\n" + report, hangPlace(call))
    }
    if wasKilled {
      let name = String(cString: strsignal(status))
      let report = self.report(from: "Fatal error:", "*** Program crashed", "*** Signal")
      return ("the stress crashes: signal \(status) (\(name))\n" + report, crashPlace(call))
    }
    return (
      "the process of the stress ended with code \(status) before the stress did\n" + report(), nil
    )
  }

  /// The child's output from the first line with one of these texts, or its last lines, up to a
  /// line that begins with `end`.
  private func report(from marks: String..., upTo end: String = "...") -> String {
    let all = output.split(separator: "\n")
    let start = all.firstIndex { line in marks.contains { line.contains($0) } }
    let found = start.map { all[$0...] }?.prefix { !$0.hasPrefix(end) }
    let part = found?.prefix(Self.mostLines) ?? all.suffix(Self.mostLines)
    return part.map { "  " + $0 }.joined(separator: "\n")
  }

  /// The first stack frame outside of libraries, from a line like `3 f() + 47 in a at
  /// /folder/File.swift:1:40`.
  private func crashPlace(_ call: SourceLocation) -> SourceLocation? {
    for line in output.split(separator: "\n") {
      guard let match = line.firstMatch(of: #/ at (/.+\.swift):(\d+):(\d+)$/#) else { continue }
      return place(match.1, match.2, call)
    }
    return nil
  }

  /// The location in a hang report, from a line like `/folder/File.swift:12:1: error: …`.
  private func hangPlace(_ call: SourceLocation) -> SourceLocation? {
    for line in output.split(separator: "\n") {
      guard let match = line.firstMatch(of: #/^(/.+\.swift):(\d+):\d+: error: /#) else { continue }
      return place(match.1, match.2, call)
    }
    return nil
  }

  private func place(
    _ path: Substring, _ line: Substring, _ call: SourceLocation
  ) -> SourceLocation? {
    guard let number = Int(line), number > 0 else { return nil }
    let file = path.split(separator: "/").last ?? path
    return SourceLocation(
      fileID: "\(call.moduleName)/\(file)", filePath: String(path), line: number, column: 1)
  }
}
