import InterlockStress

/// The settings that `detectors.sh` passes to the bench by the environment, because a bench has
/// no options.
struct DetectorSettings: Equatable {
  /// The path of `DetectorProgram`, built without a sanitizer and without section tracking.
  var program: String
  /// The path of `DetectorProgram`, built with ThreadSanitizer.
  var sanitizedProgram: String
  /// The path of `DetectorProgram`, built with section tracking.
  var markedProgram: String
  /// The number of runs of each program by each detector.
  var runs = 5
  /// The number of runs under Valgrind's tools, which take a second and more to start.
  var valgrindRuns = 1
  /// The rows of the table to run.
  var rows = DetectorRow.all

  static let programVariable = "INTERLOCK_DETECTOR_PROGRAM"
  static let sanitizedVariable = "INTERLOCK_DETECTOR_SANITIZED_PROGRAM"
  static let markedVariable = "INTERLOCK_DETECTOR_MARKED_PROGRAM"
  static let runsVariable = "INTERLOCK_DETECTOR_RUNS"
  static let valgrindRunsVariable = "INTERLOCK_DETECTOR_VALGRIND_RUNS"
  static let rowsVariable = "INTERLOCK_DETECTOR_ROWS"

  /// Reads the settings; `nil` if a program is missing, since only the script builds it.
  init?(environment: [String: String]) throws(UsageError) {
    guard let program = environment[Self.programVariable],
      let sanitized = environment[Self.sanitizedVariable],
      let marked = environment[Self.markedVariable]
    else { return nil }
    self.program = program
    sanitizedProgram = sanitized
    markedProgram = marked
    runs = try Self.count(Self.runsVariable, environment) ?? runs
    valgrindRuns = try Self.count(Self.valgrindRunsVariable, environment) ?? valgrindRuns
    guard let title = environment[Self.rowsVariable] else { return }
    rows = DetectorRow.all(titled: title)
    if rows.isEmpty {
      throw UsageError("No row of the table has '\(title)' in its title", .bench)
    }
  }

  private static func count(
    _ variable: String, _ environment: [String: String]
  ) throws(UsageError) -> Int? {
    guard let text = environment[variable] else { return nil }
    guard let count = Int(text), (1...1000).contains(count) else {
      throw UsageError("\(variable) must be a whole number from 1 to 1000, found '\(text)'", .bench)
    }
    return count
  }
}
