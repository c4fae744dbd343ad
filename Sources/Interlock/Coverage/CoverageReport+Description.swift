internal import SectionTable

extension CoverageReport: CustomStringConvertible {
  /// The whole report as text: all resources, all places with one owner, all listed pairs.
  public var description: String { text(resources: .max, details: true) }

  /// The short report: the number of resources, and the names of the untested ones.
  package var summary: String { text(resources: 20, details: false) }

  private func text(resources most: Int, details: Bool) -> String {
    var lines = ["interlock: \(headline)"]
    let shown = details ? resources : resources.filter { $0.contention != .shared }
    for resource in shown.prefix(most) {
      lines += details ? resource.lines.map { "  " + $0 } : ["  " + resource.headline]
    }
    if shown.count > most { lines.append("  … and \(shown.count - most) more") }
    if isFull { lines.append("  There were more names, places or pairs than are followed.") }
    return lines.joined(separator: "\n")
  }

  /// The number of resources with contention, in one line.
  package var headline: String {
    guard isMeasured else { return "coverage is off: nothing was recorded" }
    let count = resources.count
    var parts = ["coverage: \(count) resource\(count == 1 ? "" : "s")"]
    let lone = notTested.count
    parts.append(lone == 0 ? "each by several owners" : "\(lone) not tested")
    let unknown = resources.count { $0.contention == .unknown }
    if unknown > 0 {
      if lone == 0 { parts.removeLast() }
      parts.append("\(unknown) undecided")
    }
    if resources.isEmpty { parts = ["coverage: no resource: no section was begun"] }
    return parts.joined(separator: ", ")
  }
}

extension CoverageReport.Resource {
  /// The result for the resource, in one line.
  package var headline: String {
    switch contention {
    case .oneOwner: "not tested: '\(name)' was touched by one owner only, at \(wherever)"
    case .unknown:
      "undecided: '\(name)' has too many instances to say whether two owners touched one of them"
    case .shared:
      "'\(name)': \(ownerCount); pairs of places: \(overlapped) overlapped, \(nearMisses) nearly,"
        + " \(apart) never"
    }
  }

  /// The headline, followed by the places and pairs.
  package var lines: [String] {
    var lines = [headline]
    for pair in pairs {
      let names = [pair.first, pair.second].map { Self.text(places[$0]) }
      lines.append("  \(Self.word(pair.outcome)): \(names[0]) and \(names[1])")
    }
    let count = overlapped + nearMisses + apart
    if count > pairs.count { lines.append("  … and \(count - pairs.count) more pairs") }
    if contention == .shared {
      lines += places.filter(\.byOneOwner).map { "  by one owner only: \(Self.text($0))" }
    }
    return lines
  }

  private var ownerCount: String {
    let many = CoverageReport.mostOwners
    return owners == 1 ? "1 owner" : owners < many ? "\(owners) owners" : "\(many) owners or more"
  }

  /// The first three places.
  private var wherever: String {
    let shown = places.prefix(3).map { "\($0.place.file):\($0.place.line)" }
    let rest = places.count - shown.count
    return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }

  private static func text(_ visited: CoverageReport.Visited) -> String {
    "\(visited.mode.writes ? "write" : "read") \(visited.place.file):\(visited.place.line)"
  }

  private static func word(_ outcome: CoverageReport.Outcome) -> String {
    switch outcome {
    case .overlapped: "overlapped"
    case .nearMiss: "nearly overlapped"
    case .apart: "never overlapped"
    }
  }
}
