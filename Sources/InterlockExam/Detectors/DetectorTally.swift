/// The results of one detector for all runs of a row's programs.
struct DetectorTally: Equatable {
  /// Runs that could be judged.
  private(set) var runs = 0
  /// The runs with a report.
  private(set) var reported = 0
  /// Runs that could not be judged, by reason.
  private(set) var failures: [String: Int] = [:]

  /// Counts one run.
  mutating func add(_ sighting: Sighting) {
    switch sighting {
    case .silent: runs += 1
    case .reported:
      runs += 1
      reported += 1
    case .failed(let reason): failures[reason, default: 0] += 1
    }
  }

  /// The cell: reports of runs, with a star where runs are left out.
  var cell: String {
    guard runs > 0 || !failures.isEmpty else { return "–" }
    return "\(reported)/\(runs)\(failures.isEmpty ? "" : "*")"
  }
}
