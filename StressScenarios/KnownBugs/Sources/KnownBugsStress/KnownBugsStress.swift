import InterlockStress
import KnownBugs

/// The stress executable of the package, as any user's: subjects, scenarios and benches.
@main
struct KnownBugsStress: StressCommand {
  static let subjects = knownBugSubjects

  static let scenarioFolder = "Scenarios"

  static let benches = [
    BenchEntry(name: "caches", summary: "what a hit costs, against a dictionary under NSLock") {
      CachesBench.run()
    },
    BenchEntry(name: "disks", summary: "SQLite against files, and a miss on a known disk") {
      try DisksBench.run()
    },
  ]
}
