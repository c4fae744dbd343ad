import Findings
import Foundation
import InterlockWatchdog
import Synchronization
import Testing
import XCTest

/// An issue on its way from a child process: a line of the channel.
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

  /// Without the severity, which a recorded issue has anyway.
  private static func text(of issue: Issue) -> String {
    let text = "\(issue)"
    return text.replacing(" (\(issue.severity))", with: "", maxReplacements: 1)
  }

  /// Records it as an issue of the calling test.
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

  /// Passes an issue to the process that waits. Each is written as it comes: the child may crash.
  static func pass(_ issue: PassedIssue) { write(.issue(issue)) }

  /// Whether the call that this process is for has begun: what is found before, the process that
  /// waits finds too.
  private static let isInCall = Atomic(false)

  /// Passes a finding of the call to the reports of the process that waits.
  static func pass(_ finding: Finding) {
    // Relaxed: the tasks and threads of the call begin after the store.
    if isInCall.load(ordering: .relaxed) { write(.finding(finding.cut)) }
  }

  /// Runs the call that this process is for, passes its issues on, and ends the process.
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
    // No handler: those report what the channel has passed already.
    _exit(0)
  }

  /// What a line of the channel says.
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
