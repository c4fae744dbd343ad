extension FindingFormat {
  /// The code quality report of GitLab.
  package static let gitLab = FindingFormat(
    name: "gitlab",
    summary: "Write the findings to this file as GitLab's code quality report when the run is"
      + " over; in GitLab CI to gl-code-quality-report.json without being asked.",
    destination: .file
  ) { findings, context in
    let entries = findings.map { JSONWriter.line(entry($0, context)) }
    return entries.isEmpty ? "[]\n" : "[\n" + entries.joined(separator: ",\n") + "\n]\n"
  }

  private static func entry(_ finding: Finding, _ context: Context) -> JSONValue {
    let location = finding.location(in: context.repository)
    var key = finding.key
    // GitLab shows one entry per fingerprint: make the same fault in two trials two entries.
    if let origin = finding.origin { key.resource += "\u{0}\(origin.group)/\(origin.name)" }
    let isKnown = finding.knownBecause != nil
    return .object([
      "description": .string(finding.headline),
      "check_name": .string(finding.rule.id),
      "fingerprint": .string(key.fingerprint),
      "severity": .string(isKnown ? "info" : finding.level == .error ? "critical" : "minor"),
      "location": .object([
        "path": .string(location?.path ?? "Package.swift"),
        "lines": .object(["begin": .number(location?.line ?? 1)]),
      ]),
    ])
  }
}
