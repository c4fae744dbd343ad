import Findings
import Foundation
import InterlockWatchdog
import Synchronization
import Testing
import XCTest

/// An issue that a child process passes to its parent, as one line of the channel.
struct PassedIssue: Codable, Hashable {
  var text: String
  var isWarning = false
  var fileID: String?
  var filePath: String?
  var line = 1
  var column = 1

  init(_ issue: Issue) {
    let comments = issue.comments.map(\.rawValue).joined(separator: "\n")
    var text = comments
    if case .unconditional = issue.kind {} else { text = Self.text(of: issue) }
    self.init(text, at: issue.sourceLocation)
    isWarning = issue.severity < .error
  }

  init(_ text: String, at location: SourceLocation?) {
    self.text = text
    guard let location else { return }
    fileID = location.fileID
    filePath = location.filePath
    line = location.line
    column = location.column
  }

  /// The issue's text without the severity, which a recorded issue shows anyway.
  private static func text(of issue: Issue) -> String {
    let text = "\(issue)"
    return text.replacing(" (\(issue.severity))", with: "", maxReplacements: 1)
  }

  /// Records the issue for the calling test, at `place` if it has no location.
  func record(else place: SourceLocation) {
    let place = location ?? place
    guard isWarning else { return recordIssue(text, at: place) }
    guard Test.current != nil else { return print("\(place.fileName):\(place.line): \(text)") }
    Issue.record(Comment(rawValue: text), severity: .warning, sourceLocation: place)
  }

  private var location: SourceLocation? {
    guard let fileID, let filePath else { return nil }
    return SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// The child's end of the channel.
enum IsolatedChannel {
  private static let lock = NSLock()

  /// Passes an issue to the parent. It is written at once, since the child may crash.
  static func pass(_ issue: PassedIssue) { write(.issue(issue)) }

  /// True once the isolated call has begun. The parent finds earlier problems itself.
  private static let isInCall = Atomic(false)

  /// Passes a finding of the isolated call to the parent's reports.
  static func pass(_ finding: Finding) {
    // Relaxed: the tasks and threads of the call begin after the store.
    if isInCall.load(ordering: .relaxed) { write(.finding(finding.cut)) }
  }

  /// Runs the isolated call, passes its issues to the parent, and ends the process.
  static func passIssues(_ work: () async -> String) async -> Never {
    var summary = ""
    isInCall.store(true, ordering: .relaxed)
    guard Test.current != nil else {
      let test = (currentXCTest as? XCTestCase)?.testRun
      let before = test?.failureCount ?? 0
      summary = await work()
      if test?.failureCount ?? 0 > before {
        pass(PassedIssue("an assertion of XCTest failed in the process of the stress", at: nil))
      }
      end(summary)
    }
    await withKnownIssue("in a child process", isIntermittent: true) {
      summary = await work()
    } matching: { issue in
      pass(PassedIssue(issue))
      return true
    }
    end(summary)
  }

  /// Ends the child after its call, before the rest of the test runs.
  static func end(_ summary: String) -> Never {
    write(.end(summary))
    fflush(nil)
    // `_exit` skips exit handlers: they would report what the channel has passed already.
    _exit(0)
  }

  /// A line of the channel.
  enum Line: Codable {
    case issue(PassedIssue)
    case finding(Finding)
    case end(String)
  }

  private static func write(_ line: Line) {
    guard let path = IsolatedCall.current?.channel, let data = try? JSONEncoder().encode(line)
    else { return }
    lock.withLock {
      guard let file = FileHandle(forWritingAtPath: path) else { return }
      _ = try? file.seekToEnd()
      try? file.write(contentsOf: data + Data("\n".utf8))
      try? file.close()
    }
  }
}
