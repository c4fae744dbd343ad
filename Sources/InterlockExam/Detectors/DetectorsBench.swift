import Foundation
import Interlock
import InterlockStress
import Programs
import StressRunner

/// Compares the reports of race and deadlock detectors for the same small programs, faulty and
/// correct.
/// `ci/checks/detectors.sh` builds the programs and calls this.
enum DetectorsBench {
  /// Runs all programs and prints each row of the table when it is done.
  static func run() throws {
    let environment = ProcessInfo.processInfo.environment
    guard let settings = try DetectorSettings(environment: environment) else {
      print("detectors are compared by ci/checks/detectors.sh, which builds what this bench needs")
      return
    }
    guard SectionTracking.isCompiledIn else {
      throw UsageError(
        "Section tracking is not compiled in: build with --traits SectionTracking", .bench)
    }
    let detectors = Detector.all(settings, path: environment["PATH"] ?? "")
    for detector in detectors where detector.command == nil {
      print("\(detector.name): not installed, its column is left out")
    }
    let present = detectors.filter { $0.command != nil }
    let table = DetectorTable(columns: insideColumns + present.map(\.name))
    print(
      "runs with a report, of all runs; 'plain' is overlap alone, without delays and prediction")
    print(table.head)
    var rows: [(row: DetectorRow, tallies: [DetectorTally])] = []
    for row in settings.rows {
      let tallies =
        insideTallies(of: row, runs: settings.runs)
        + present.map { outsideTally(of: row, by: $0, settings) }
      rows.append((row, tallies))
      print(table.line(row.title, tallies.map(\.cell)))
      // Flush: the table takes minutes, and a pipe would hold the rows back.
      fflush(nil)
    }
    print("")
    for (row, tallies) in rows { table.notes(row.title, tallies).forEach { print($0) } }
    print(
      "a report counts whatever it is about: where the twin is reported as often, it shows nothing")
    table.falseReports(rows).forEach { print($0) }
  }

  /// Observed events without delays; observed events with delays; the latter and predictions.
  private static let insideColumns = ["plain", "observed", "+ potential"]

  private static func insideTallies(of row: DetectorRow, runs: Int) -> [DetectorTally] {
    var tallies = insideColumns.map { _ in DetectorTally() }
    let programs = Exam.families.flatMap(\.programs).filter { row.programs.contains($0.name) }
    for (program, scenario) in programs.map({ ($0.name, Exam.scenario($0)) }) {
      for run in 1...runs {
        var trial = Trial(scenario: scenario, subject: program, seed: UInt64(run))
        trial.predicts = true
        let watched = result(of: trial)
        trial.predicts = false
        trial.delays = nil
        let plain = result(of: trial)
        tallies[0].add(plain.map(Sighting.init(observed:)) ?? .failed("interrupted"))
        tallies[1].add(watched.map(Sighting.init(observed:)) ?? .failed("interrupted"))
        tallies[2].add(watched.map(Sighting.init(predicted:)) ?? .failed("interrupted"))
      }
    }
    return tallies
  }

  private static func result(of trial: Trial) -> TrialResult? {
    var result: TrialResult?
    _ = TrialRunner(jobs: 1).run([trial]) { event in
      if case .finished(_, let judged) = event { result = judged }
    }
    return result
  }

  private static func outsideTally(
    of row: DetectorRow, by detector: Detector, _ settings: DetectorSettings
  ) -> DetectorTally {
    var tally = DetectorTally()
    for program in row.programs {
      for _ in 0..<(detector.isValgrind ? settings.valgrindRuns : settings.runs) {
        tally.add(detector.sighting(of: program))
      }
    }
    return tally
  }
}
