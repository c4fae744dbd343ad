import Foundation
import Interlock
import Reports
import StressRunner

/// The cost of the reports of many results: time, memory and size of each format.
enum ReportsBench {
  private static let count = 100_000

  /// Measures and prints the lines: each format in a process of its own, since memory is only
  /// given back at the end.
  static func run() {
    let name = ProcessInfo.processInfo.environment["INTERLOCK_BENCH_FORMAT"]
    if let format = ReportFormat.all.first(where: { $0.name == name }) { return measure(format) }
    print(
      "reports of \(count) results, one in ten with a finding of its own; seconds of the processor")
    for format in ReportFormat.all where format.name != "text" { start(format.name) }
  }

  private static func start(_ format: String) {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["bench", "reports"]
    process.environment = ProcessInfo.processInfo.environment
      .merging(["INTERLOCK_BENCH_FORMAT": format]) { $1 }
    do {
      try process.run()
      process.waitUntilExit()
    } catch {
      print("  \(format): \(error)")
    }
  }

  private static func measure(_ format: ReportFormat) {
    var context = ReportContext(
      version: "0", host: .init(system: "", cores: 1, swift: ""), seed: nil, command: "interlock")
    context.scenarioFiles = ["reads": "/src/StressScenarios/reads.json"]
    let scenario = Scenario(
      name: "reads", summary: "", source: "",
      workload: Workload(
        driver: .threads, phases: [.init(callers: 1, rounds: 1, operations: .sequence([.get]))],
        keys: 1, valueBytes: 1, preparesAllKeys: false, seed: 1),
      limits: Limits(), oracles: [], expectations: [:])
    var reporter = format.make(ReportSettings())
    var summary = ReportSummary()
    var bytes = 0
    // The processor time, which other work on the machine does not affect.
    let before = usage().seconds
    summary.planned = count
    let trials = (0..<count).map {
      Trial(scenario: scenario, subject: "subject-\($0)", seed: 1)
    }
    bytes += reporter.begin(trials, context).utf8.count
    for number in 0..<count {
      let result = result(number, scenario)
      bytes += reporter.result(result).utf8.count
      summary.add(result)
    }
    bytes += reporter.end(summary).utf8.count
    let after = usage()
    let name = format.name.padding(toLength: 16, withPad: " ", startingAt: 0)
    print(
      "  \(name)"
        + String(
          format: "%6.2f s  %6.1f MiB of text  %6.0f MiB at most", after.seconds - before,
          Double(bytes) / 1_048_576, Double(after.mostBytes) / 1_048_576))
  }

  /// A result that passed, or for each tenth number a race on a resource of its own, with both
  /// stacks.
  private static func result(_ number: Int, _ scenario: Scenario) -> TrialResult {
    let trial = Trial(scenario: scenario, subject: "subject-\(number)", seed: 1)
    var seen = Observation(ending: .exited(code: 0), operations: 1)
    seen.completed = 1
    seen.finished = true
    guard number % 10 == 0 else {
      return TrialResult(trial: trial, observation: seen, verdict: .passed)
    }
    func side(_ line: Int) -> Conflict.Side {
      let stack = (0..<16).map { frame in
        StackFrame(
          address: UInt(frame), function: "function\(frame)(_:)", file: "/src/Sources/Cache.swift",
          line: line + frame)
      }
      return Conflict.Side(
        mode: .noReadWrite, synched: false,
        place: Place(file: "App/Cache.swift", line: line, function: "store(_:)"),
        thread: "thread \(line)", queue: nil, stack: stack)
    }
    let conflict = Conflict(resource: "entries \(number)", first: side(10), second: side(40))
    seen.conflicts = [conflict]
    return TrialResult(trial: trial, observation: seen, verdict: .race(conflict))
  }

  /// The processor time of the process so far, and the most memory that it has had at a time.
  static func usage() -> (seconds: Double, mostBytes: Int) {
    var usage = rusage()
    #if os(Linux)
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let unit = 1024
    #else
    getrusage(RUSAGE_SELF, &usage)
    let unit = 1
    #endif
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return (seconds(usage.ru_utime) + seconds(usage.ru_stime), Int(usage.ru_maxrss) * unit)
  }
}
