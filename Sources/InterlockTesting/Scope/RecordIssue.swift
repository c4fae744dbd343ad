import InterlockWatchdog
import Testing
import XCTest

/// Records an issue of the running test: in Swift Testing the calling task's test, in XCTest the
/// running test case.
///
/// - Parameters:
///   - text: The text of the issue.
///   - location: The line of the issue.
///   - reason: The baseline's reason for a known issue; `nil` if it is new. A known issue is a
///     warning. XCTest has no warnings: there it is printed.
///   - isWarning: True for a warning in any case.
func recordIssue(
  _ text: String, at location: SourceLocation, knownBecause reason: String? = nil,
  isWarning: Bool = false
) {
  let text = known(reason, text)
  let isWarning = isWarning || reason != nil
  guard Test.current == nil, let test = currentXCTest as? XCTestCase else {
    Issue.record(
      Comment(rawValue: text), severity: isWarning ? .warning : .error, sourceLocation: location)
    return
  }
  if IsolatedCall.current != nil {
    var issue = PassedIssue(text, at: location)
    issue.isWarning = isWarning
    return IsolatedChannel.pass(issue)
  }
  if isWarning { return print("\(location.fileName):\(location.line): \(text)") }
  #if canImport(Darwin)
  let place = XCTSourceCodeLocation(filePath: location.filePath, lineNumber: location.line)
  var issue = XCTIssue(type: .assertionFailure, compactDescription: text)
  issue.sourceCodeContext = XCTSourceCodeContext(location: place)
  test.record(issue)
  #else
  test.recordFailure(
    withDescription: text, inFile: location.filePath, atLine: location.line, expected: true)
  #endif
}

/// Records a conflict, with its full report as an attachment.
///
/// - Parameters:
///   - issue: The conflict.
///   - location: Where to record the conflict if its own lines are unknown; `nil` to leave it out.
///   - reason: The baseline's reason for a known conflict; `nil` if it is new.
func recordIssue(
  _ issue: ConflictIssue, else location: SourceLocation?, knownBecause reason: String? = nil
) {
  guard let location = issue.location ?? location else {
    Issue.record(
      Comment(rawValue: known(reason, issue.text)), severity: reason == nil ? .error : .warning)
    return
  }
  recordIssue(issue.text, at: location, knownBecause: reason)
  if Test.current != nil {
    Attachment.record(issue.text, named: "conflict.txt", sourceLocation: location)
  }
}

/// The text of an issue, prefixed with the baseline's reason if it is known.
func known(_ reason: String?, _ text: String) -> String {
  reason.map { "known (\($0)): \(text)" } ?? text
}
