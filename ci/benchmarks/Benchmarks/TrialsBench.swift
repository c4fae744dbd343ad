import Foundation
import Reports
import StressRunner

/// The cost of a trial: starting a child process, and a passing trial of 1,000 reads.
enum TrialsBench {
  /// Measures and prints the lines.
  static func run() throws {
    let spawn = Measurement.median((0..<rounds).map { _ in secondsOfSpawn() })
    let one = try seconds(of: scenario(callers: 1, valueBytes: 0))
    let thousand = try seconds(of: scenario(callers: 1000, valueBytes: 65536))
    print("trials on 'mutex'; medians of \(rounds), one at a time, from start to verdict")
    print(line("starting this executable, and its end by itself", spawn))
    print(line("a trial of one call: start a child, judge it", one))
    print(line("a passing trial of 1,000 reads", thousand))
  }

  private static let rounds = 15

  private static func line(_ name: String, _ seconds: Double) -> String {
    "  " + name.padding(toLength: 48, withPad: " ", startingAt: 0)
      + String(format: "%7.1f ms", seconds * 1000)
  }

  private static func seconds(of scenario: Scenario) throws -> Double {
    let trial = Trial(scenario: scenario, subject: "mutex", seed: 1)
    return Measurement.median(try (0..<rounds).map { _ in try seconds(of: trial) })
  }

  /// The time from the start of a trial to its verdict. Throws if the trial does not pass: its time
  /// would be no figure.
  static func seconds(of trial: Trial, environment: [String: String] = [:]) throws -> Double {
    var runner = TrialRunner(jobs: 1)
    runner.environment = environment
    var message: String? = "no result"
    let time = ContinuousClock().measure {
      _ = runner.run([trial]) { event in
        if case .finished(_, let result) = event {
          message = result.verdict.kind == .passed ? nil : result.message
        }
      }
    }
    if let message { throw Yardstick.Failure(description: "a trial did not pass: \(message)") }
    return time / .seconds(1)
  }

  /// The time from the spawn of a process without work to its end.
  private static func secondsOfSpawn() -> Double {
    var process: pid_t = 0
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    var arguments = [strdup(CommandLine.arguments[0]), strdup("--version"), nil]
    defer { arguments.forEach { free($0) } }
    let executable = Bundle.main.executablePath ?? CommandLine.arguments[0]
    return ContinuousClock().measure {
      guard posix_spawn(&process, executable, &actions, nil, &arguments, environ) == 0 else {
        return print("  \(executable) could not be started")
      }
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0 && errno == EINTR {}
      if status != 0 { print("  \(executable) --version ended with the status \(status)") }
    } / .seconds(1)
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
