import InterlockStress
import KnownBugs

/// The stress executable of the package, as any user's: subjects, scenarios and benches.
@main
struct KnownBugsStress: StressCommand {
  static let subjects = knownBugSubjects

  static let scenarioFolder = "Scenarios"

  static let benches = knownBugBenches
}
