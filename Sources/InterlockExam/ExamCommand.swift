import Foundation
import Interlock
import InterlockStress

/// The `interlock-exam` command: examines the detectors with small programs, each with what must be
/// found in it.
@main
struct ExamCommand: StressCommand {
  static let subjects = Exam.families.flatMap(\.subjects) + nearMissSubjects

  static func main() {
    OwnCode.register([OwnCode(.executable)])
    // More than processors: a program that hangs only waits.
    start(
      scenarios: Exam.scenarios, commands: [["run"], ["explore"]],
      jobs: 4 * min(4, ProcessInfo.processInfo.activeProcessorCount))
  }

  static let benches = [
    BenchEntry(
      name: "detectors",
      summary: "what other detectors find in the same programs; by ci/checks/detectors.sh"
    ) { try DetectorsBench.run() },
    // Turns on the wait table for the rest of the process, but only under the script, which runs
    // this bench last.
    BenchEntry(
      name: "slow-down",
      summary: "how much other detectors slow down a dictionary; by ci/checks/detectors.sh"
    ) { try DetectorsSlowDown.run() },
  ]
}
