import Explorer
import Findings
import Interlock
import InterlockWatchdog
import Testing

/// Adds a finding of a test to the reports of this process; of an isolated call, also to those of
/// the process that waits for it.
///
/// - Returns: Why the baseline knows it; `nil` if it is new.
@discardableResult
func noteForReports(_ finding: Finding) -> String? {
  IsolatedChannel.pass(finding)
  return InterlockWatchdog.noteForReports(finding)
}

/// Adds an issue of a test to the reports that `INTERLOCK_OPTIONS` asks this process for.
///
/// - Parameters:
///   - rule: The kind of fault.
///   - text: The issue; its first line is the finding's message.
///   - location: The line where a reader begins.
///   - steps: The events that led to it.
/// - Returns: Why the baseline knows it; `nil` if it is new.
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

/// Adds an order that fails, with its schedule.
///
/// - Parameters:
///   - failure: What the exploration found.
///   - title: The line above it, if it has one.
///   - location: The line where a reader begins.
/// - Returns: Why the baseline knows it; `nil` if it is new.
func noteForReports(
  _ failure: ExplorationFailure, title: String? = nil, at location: SourceLocation
) -> String? {
  noteForReports(
    .orderFails, [title, failure.report].compactMap(\.self).joined(separator: "\n"), at: location,
    steps: failure.schedule.events.map(Finding.Step.init))
}
