import Findings
import Interlock
import InterlockWatchdog
import Prediction
import ProcessInspection
import Testing

/// Prediction of deadlocks and races while a test runs.
final class TestPrediction: Sendable {
  private static let mostFrames = 12

  private struct Process {
    var open: [ObjectIdentifier: TestPrediction] = [:]
    /// The findings reported so far, including those of earlier tests.
    var known: Set<String> = []
    var notes: Set<String> = []
    /// Watched tests whose trait does not predict. Findings in them are left out.
    var leftOut: [Test.ID: Test] = [:]
  }

  private static let process = Locked(Process())

  private let test: Test
  private let fails: Bool

  /// Starts prediction in this process unless it runs already.
  init(of test: Test, fails: Bool) {
    self.test = test
    self.fails = fails
    Predictor.start()
    Self.process.withLock { $0.open[ObjectIdentifier(self)] = self }
  }

  /// Leaves out findings whose stacks show this test: its own trait does not predict, and replaces
  /// one that does.
  static func leaveOut(_ test: Test) { process.withLock { $0.leftOut[test.id] = test } }

  /// Reports the findings made since the last test ended.
  func end() async {
    let record = Predictor.record()
    if case .unavailable(let reason) = record.state { note("nothing is predicted: \(reason)") }
    for line in record.notes { note("prediction is not complete: \(line)") }
    for finding in record.findings {
      let text = FindingText(finding, mostFrames: Self.mostFrames)
      var isOnlyOne = false
      let isNew = Self.process.withLock { process in
        isOnlyOne = process.open.count == 1
        if !shows(finding, test) {
          // Leave the finding to the running test that its stacks show.
          let others = process.open.values.filter { $0 !== self }
          if others.contains(where: { shows(finding, $0.test) }) { return false }
          if process.leftOut.values.contains(where: { shows(finding, $0) }) { return false }
        }
        return process.known.insert(Self.identity(of: finding)).inserted
      }
      guard isNew else { continue }
      noteForReports(finding, isError: fails)
      let reason = ProcessBaseline.ofThisProcess?.reason(for: Finding(finding))
      let showsAnother = Self.showsATest(finding)
      if shows(finding, test) || isOnlyOne && !showsAnother {
        report(finding, text, knownBecause: reason)
      } else {
        // The stacks show a test without the trait, or no test while several run: record it for the
        // run. A detached task belongs to no test.
        let note =
          showsAnother
          ? "a test that is not watched, or has ended, shows it"
          : "several tests were running, and no stack shows which it is of"
        await Task.detached {
          self.report(finding, text, knownBecause: reason, ofRun: note)
        }.value
      }
    }
    Self.process.withLock { _ = $0.open.removeValue(forKey: ObjectIdentifier(self)) }
  }

  private func report(
    _ finding: PotentialFinding, _ text: FindingText, knownBecause reason: String?,
    ofRun note: String? = nil
  ) {
    var lines =
      [known(reason, "potential, not observed: " + text.headline)]
      + text.details.map { "  " + $0 }
    if let note { lines.append("  (of the run: \(note))") }
    let comment = Comment(rawValue: lines.joined(separator: "\n"))
    let location = Self.location(of: finding, module: test.sourceLocation.moduleName)
    Issue.record(
      comment, severity: fails && reason == nil ? .error : .warning,
      sourceLocation: location ?? test.sourceLocation)
    guard note == nil else { return }
    Attachment.record(
      comment.rawValue, named: "potential.txt", sourceLocation: location ?? test.sourceLocation)
  }

  /// Prints a line about the process, once.
  private func note(_ line: String) {
    let isNew = Self.process.withLock { $0.notes.insert(line).inserted }
    if isNew { print("interlock: \(line)") }
  }

  /// True if a stack of the finding has the test's function, in the test's file: a function with
  /// the test's name in the types around the test.
  private func shows(_ finding: PotentialFinding, _ test: Test) -> Bool {
    let types = test.id.nameComponents.dropLast().map { $0 + "." }.joined()
    let name = types + test.name.prefix { $0 != "(" } + "("
    let file = "/" + test.sourceLocation.fileName
    return finding.sides.contains { side in
      (side.place + side.stack).contains { frame in
        guard frame.file?.hasSuffix(file) == true, let function = frame.function else {
          return false
        }
        // Compare the whole name: `reads(` is a suffix of `rereads(`.
        return function.hasPrefix(name) || function.contains(" " + name)
      }
    }
  }

  /// True if a stack of the finding begins in a test, in the function that Swift Testing's macro
  /// generates around it.
  private static func showsATest(_ finding: PotentialFinding) -> Bool {
    finding.sides.contains { side in
      (side.place + side.stack).contains { $0.function?.contains("fMp_") ?? false }
    }
  }

  /// The kind and the user's places. Findings on different objects at the same places are equal.
  private static func identity(of finding: PotentialFinding) -> String {
    let places = finding.sides.map { side in
      side.place.first { !$0.isSystem }.map { "\($0.file ?? ""):\($0.line ?? 0)" } ?? side.act
    }
    return ([finding.kind.rawValue] + places.sorted()).joined(separator: " ")
  }

  /// The location of the first frame in user code.
  private static func location(of finding: PotentialFinding, module: String) -> SourceLocation? {
    let frames = finding.sides.flatMap { $0.place + $0.stack }
    guard let frame = frames.first(where: { !$0.isSystem && $0.file != nil && $0.line ?? 0 > 0 }),
      let file = frame.file, let line = frame.line, let name = file.split(separator: "/").last
    else { return nil }
    return SourceLocation(fileID: "\(module)/\(name)", filePath: file, line: line, column: 1)
  }
}
