import InterlockWatchdog
import Testing
import XCTest

/// Records an issue of the running test: of the calling task's test in Swift Testing, of the test
/// case that runs in XCTest.
func recordIssue(_ text: String, at location: SourceLocation) {
  guard Test.current == nil, let test = currentXCTest as? XCTestCase else {
    Issue.record(Comment(rawValue: text), sourceLocation: location)
    return
  }
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
func recordIssue(_ issue: ConflictIssue, else location: SourceLocation?) {
  guard let location = issue.location ?? location else {
    Issue.record(Comment(rawValue: issue.text))
    return
  }
  recordIssue(issue.text, at: location)
  if Test.current != nil {
    Attachment.record(issue.text, named: "conflict.txt", sourceLocation: location)
  }
}
