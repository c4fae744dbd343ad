import Foundation
import Interlock

extension FindingFormat {
  /// The formats in which a process can report itself.
  package static let ofProcess: [FindingFormat] = [sarif, junit, gitLab, gitHub, xcode, baseline]

  /// JUnit's XML of a process: a failed test for each finding, or one passed test.
  static let junit = FindingFormat(
    name: "junit", summary: "JUnit's XML.", destination: .file
  ) { findings, context in
    var report = JUnitXML(
      properties: [("interlock", context.version)] + (context.explored?.properties ?? []),
      began: Int(Date().timeIntervalSince1970))
    let suite = ProcessInfo.processInfo.processName
    for finding in findings {
      let name = "\(finding.rule.id) \(finding.key.fingerprint)"
      var lines = finding.details
      for side in finding.sides {
        lines.append("\(side.title): \(side.place)")
        lines += side.stack.enumerated().map { "  #\($0.offset) \($0.element)" }
      }
      if let reason = finding.knownBecause {
        report.add(name, in: suite, seconds: 0, .skipped(reason: "known: \(reason)"), output: lines)
      } else if finding.level == .error {
        report.add(
          name, in: suite, seconds: 0,
          .failed(kind: finding.rule.id, message: finding.headline, lines: lines))
      } else {
        report.add(name, in: suite, seconds: 0, .passed, output: [finding.headline] + lines)
      }
    }
    if findings.isEmpty { report.add("nothing was found", in: suite, seconds: 0, .passed) }
    return report.text
  }
}
