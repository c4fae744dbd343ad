import Explorer
import Findings
import Interlock
import InterlockWatchdog
import Testing

/// Adds a finding of a test to the reports of this process. In an isolated child, also adds it to
/// the reports of the parent.
///
/// - Returns: The baseline's reason for a known finding; `nil` if it is new.
@discardableResult
func noteForReports(_ finding: Finding) -> String? {
  IsolatedChannel.pass(finding)
  return InterlockWatchdog.noteForReports(finding)
}

/// Adds an issue of a test to the reports that `INTERLOCK_OPTIONS` requests.
///
/// - Parameters:
///   - rule: The kind of fault.
///   - text: The issue; its first line is the finding's message.
///   - location: The line to read first.
///   - steps: The events that led to it.
/// - Returns: The baseline's reason for a known finding; `nil` if it is new.
@discardableResult
func noteForReports(
  _ rule: Rule, _ text: String, at location: SourceLocation?, steps: [Finding.Step] = []
) -> String? {
  let lines = text.split(separator: "\n").map(String.init)
  var finding = Finding(rule, level: .error, message: lines.first ?? rule.id)
  finding.details = Array(lines.dropFirst())
  finding.steps = steps
  if let location {
    let place = StackFrame(address: 0, file: location.filePath, line: location.line)
    finding.sides = [Finding.Side(title: "the test", place: place)]
  }
  if let test = Test.current {
    finding.origin = Finding.Origin(group: test.sourceLocation.moduleName, name: test.name)
  }
  return noteForReports(finding)
}

/// Adds a failing order, with its schedule, to the reports.
///
/// - Parameters:
///   - failure: The failure that the exploration found.
///   - title: A line above the failure; `nil` for none.
///   - location: The line to read first.
/// - Returns: The baseline's reason for a known finding; `nil` if it is new.
func noteForReports(
  _ failure: ExplorationFailure, title: String? = nil, at location: SourceLocation
) -> String? {
  noteForReports(
    .orderFails, [title, failure.report].compactMap(\.self).joined(separator: "\n"), at: location,
    steps: failure.schedule.events.map(Finding.Step.init))
}
