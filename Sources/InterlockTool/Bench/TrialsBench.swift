import Foundation
import StressRunner

/// What a trial costs: starting a child process, and the 1,000 reads that pass.
enum TrialsBench {
  /// Measures and prints the two lines.
  static func run() {
    let one = seconds(of: scenario(callers: 1, valueBytes: 0))
    let thousand = seconds(of: scenario(callers: 1000, valueBytes: 65536))
    print("trials on 'mutex'; medians of \(rounds), one at a time, from start to verdict")
    print(line("a trial of one call: start a child, judge it", one))
    print(line("a passing trial of 1,000 reads", thousand))
  }

  private static let rounds = 15

  private static func line(_ name: String, _ seconds: Double) -> String {
    "  " + name.padding(toLength: 48, withPad: " ", startingAt: 0)
      + String(format: "%7.1f ms", seconds * 1000)
  }

  private static func seconds(of scenario: Scenario) -> Double {
    let trial = Trial(scenario: scenario, subject: "mutex", seed: 1)
    let times = (0..<rounds).map { _ in
      ContinuousClock().measure {
        _ = TrialRunner(jobs: 1).run([trial]) { event in
          if case .finished(_, let result) = event, result.verdict.kind != .passed {
            print("  not a passing trial: \(result.verdict.message)")
          }
        }
      } / .seconds(1)
    }
    return Measurement.median(times)
  }

  private static func scenario(callers: Int, valueBytes: Int) -> Scenario {
    Scenario(
      name: "bench", summary: "One get each.", source: "concurrent-reads",
      workload: Workload(
        driver: .dispatchQueue,
        phases: [.init(callers: callers, rounds: 1, operations: .sequence([.get]))], keys: 1,
        valueBytes: valueBytes, preparesAllKeys: true, seed: 1),
      limits: Limits(), oracles: [.completesOnce, .valuesIntact], expectations: [:])
  }
}
