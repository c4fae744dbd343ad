import HangReports

extension FindingFormat {
  /// Lines in the form that Xcode, editors and build logs parse.
  package static let xcode = FindingFormat(
    name: "xcode",
    summary: "Print the findings as 'path:line:column: error: …' when the run is over, each side as"
      + " a note.",
    destination: .output
  ) { findings, context in findings.flatMap { lines($0, context) }.map { $0 + "\n" }.joined() }

  private static func lines(_ finding: Finding, _ context: Context) -> [String] {
    func at(_ location: Repository.Location?) -> String {
      guard let location else { return "interlock: " }
      let path = location.isInside ? context.repository.root + "/" + location.path : location.path
      return "\(Printable.line(path)):\(location.line ?? 1):1: "
    }
    let level = finding.knownBecause == nil ? finding.level.rawValue : "note"
    let message = Printable.line(finding.headline)
    var lines = [
      at(finding.location(in: context.repository)) + "\(level): \(message) [\(finding.rule.id)]"
    ]
    lines += finding.sides.dropFirst().compactMap { side in
      guard side.place.hasLine else { return nil }
      return at(context.repository.location(of: side.place)) + "note: \(Printable.line(side.title))"
    }
    return lines
  }
}
