import Interlock

/// The contention coverage as text.
struct CoverageLines {
  private let coverage: ResourceCoverage
  private let style: TextStyle
  private let isVerbose: Bool
  private let isRequired: Bool
  private let width: Int

  /// Formats the coverage. If `isRequired`, an untested resource makes the run red.
  init(
    _ coverage: ResourceCoverage, style: TextStyle, isVerbose: Bool, isRequired: Bool, width: Int
  ) {
    self.width = width
    self.coverage = coverage
    self.style = style
    self.isVerbose = isVerbose
    self.isRequired = isRequired
  }

  /// The lines; empty if no trial had coverage, unless that makes the run red.
  var lines: [String] {
    guard coverage.pairCount > 0 || isRequired else { return [] }
    let lone = coverage.notTested
    let met: Bool? = isRequired ? !coverage.isInsufficient : nil
    let sign = isRequired ? "\(sign(met: met)) " : ""
    let headline = wrapped(sign + headline(notTested: lone.count), width: width)
    var lines = headline.enumerated().map { index, line in
      style.marked((index > 0 ? "    " : "") + line, met: met)
    }
    if isVerbose {
      lines += coverage.items.flatMap { $0.lines.map { "  " + $0 } }
    } else if isRequired {
      lines += lone.map { "  " + $0.line }
    }
    return lines
  }

  private func headline(notTested: Int) -> String {
    let count = coverage.items.count
    let pairs = coverage.pairCount
    if pairs == 0 { return "coverage: unknown: no trial survived to report" }
    if count == 0 {
      return "coverage: no section was begun in \(pairs)"
        + " pair\(pairs == 1 ? "" : "s") of scenario and subject"
    }
    var text = "coverage: \(count) resource\(count == 1 ? "" : "s") in \(pairs)"
    text += " pair\(pairs == 1 ? "" : "s") of scenario and subject"
    let undecided = coverage.items.count { $0.resource.contention == .unknown }
    let shared = count - notTested - undecided
    text += "; \(shared) touched by several owners, \(notTested) not tested"
    if notTested > 0, !isVerbose, !isRequired { text += " (--verbose names them)" }
    if undecided > 0 { text += ", \(undecided) undecided" }
    if coverage.withoutSections > 0 {
      text += "; no section in \(coverage.withoutSections)"
    }
    if coverage.isFull { text += "; more places than are followed" }
    return text
  }
}
