import InterlockWatchdog
import Testing
import XCTest

/// Records an issue of the running test: of the calling task's test in Swift Testing, of the test
/// case that runs in XCTest.
///
/// - Parameters:
///   - text: The issue.
///   - location: Its line.
///   - reason: Why the baseline knows it, which makes it a warning: in XCTest, which has none, a
///     line of the output; `nil` if it is new.
///   - isWarning: Whether it is a warning in any case.
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

/// Records a conflict with its whole report as an attachment.
///
/// - Parameters:
///   - issue: The conflict.
///   - location: Where to record it if its own lines are not known; `nil` for nowhere.
///   - reason: Why the baseline knows it; `nil` if it is new.
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

/// The text of an issue, with the reason for which the baseline knows it.
func known(_ reason: String?, _ text: String) -> String {
  reason.map { "known (\($0)): \(text)" } ?? text
}
