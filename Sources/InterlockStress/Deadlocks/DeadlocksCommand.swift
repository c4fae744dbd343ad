import Explorer
import Foundation
import HangReports
import Findings
import ProcessInspection
import Reports
import StressRunner

/// `deadlocks`: replays the thousand reads on pools of several widths. For each cache that starves
/// a pool, it explains the reason, the number of threads needed, and a fix.
struct DeadlocksCommand {
  /// The limit of a pool on Apple's systems, unless five threads for each processor are more.
  static let appleLimit = 64
  /// The pool widths that are tried in addition to this machine's: a CI service's machine, Apple's
  /// systems, and Dispatch's maximum on Linux.
  private static let otherWidths = [2, appleLimit, 255]

  private let world: World
  private let options: Options
  private let style: TextStyle

  init(world: World, options: Options) {
    self.world = world
    self.options = options
    style = TextStyle(
      color: options.color == .always || options.color == .auto && world.output.width != nil)
  }

  /// Runs the trials, and prints the results.
  ///
  /// - Returns: `.met` if each verdict is the one that the scenario expects.
  func perform(_ scenarios: [String], firstArgument: String?) throws -> ExitCode {
    guard scenarios.count <= 1 else {
      throw UsageError("'deadlocks' tries one scenario, found \(scenarios.count)", .deadlocks)
    }
    try world.checkOptions(of: .deadlocks)
    if let reason = world.sight.reason {
      throw UsageError("No pool has another width here: \(reason)", .deadlocks)
    }
    let name = scenarios.first ?? "concurrent-reads"
    let selection = try world.select([name], firstArgument: firstArgument, options)
    let files = selection.files
    guard files.count == 1 else {
      throw UsageError("'deadlocks' tries one scenario, found \(files.count)", .deadlocks)
    }
    let scenario = files[0].scenario
    let named = selection.paths[scenario.name] ?? scenario.name
    let widths =
      options.poolWidth.map { [$0] } ?? Set(Self.otherWidths + [world.host.cores]).sorted()
    world.output.write("\(title(scenario))\n\n")
    let trials = try widths.flatMap { try plan(scenario, width: $0) }
    guard let results = try run(trials) else { return .interrupted }
    world.output.write(table(results, widths: widths).map { "  \($0)\n" }.joined())
    for subject in unique(trials.map(\.subject)) {
      let stuck = results.filter { $0.trial.subject == subject && $0.verdict.kind == .deadlock }
      let shown = stuck.last { ($0.trial.scenario.poolWidth ?? 0) <= Self.appleLimit } ?? stuck.last
      guard let shown else { continue }
      world.output.write("\n" + explanation(shown).map { "\($0)\n" }.joined())
      try world.output.write(explored(shown, named: named).map { "  \($0)\n" }.joined())
    }
    let judged = results.compactMap(\.isMet)
    if judged.isEmpty {
      world.errors.write("error: nothing was judged: all \(results.count) trials were skipped\n")
    }
    return judged.isEmpty || judged.contains(false) ? .unmet : .met
  }

  /// A picture for the default job: the caches on a pool as wide as on Apple's systems.
  ///
  /// - Returns: The text; `nil` after an interrupt, or if pools cannot have another width in this
  ///   build.
  func picture() throws -> String? {
    guard world.sight.reason == nil else { return nil }
    let scenario = try world.select(["concurrent-reads"], firstArgument: nil, options).files
      .first?.scenario
    guard let scenario, let results = try run(plan(scenario, width: Self.appleLimit)) else {
      return nil
    }
    let head = "The thousand reads on a pool of \(Self.appleLimit) threads, as on Apple's systems:"
    let width = results.map(\.trial.subject.count).max() ?? 0
    let lines = results.flatMap { result in
      let subject = result.trial.subject
      let name = subject + String(repeating: " ", count: width - subject.count)
      guard let picture = StarvationPicture(result) else {
        return ["  \(name)  \(outcome(result))"]
      }
      return ["  \(name)  \(outcome(result))"]
        + picture.lines.map { String(repeating: " ", count: width + 4) + $0 }
    }
    return ([head] + lines).map { "\($0)\n" }.joined()
  }

  // MARK: Trials

  private var subjects: [String] {
    if !options.subjects.isEmpty { return options.subjects }
    return world.mainJob?.subjects
      ?? world.subjects.filter { $0.isMemoryCache && $0.runsUnlisted }.map(\.name)
  }

  private func plan(_ scenario: Scenario, width: Int) throws -> [Trial] {
    var options = options
    options.subjects = subjects
    options.poolWidth = width
    if options.subjects.isEmpty {
      throw UsageError(
        "This executable lists no cache: name subjects by '--subject <name>'", .deadlocks)
    }
    return try RunPlan(
      [scenario], options: options, subjects: world.subjects, currentFolder: world.currentFolder
    ).trials
  }

  /// The results in the order of the trials; `nil` after an interrupt.
  private func run(_ trials: [Trial]) throws -> [TrialResult]? {
    var results: [Int: TrialResult] = [:]
    let ending = try world.runTrials(options.jobs ?? world.defaultJobs, trials) {
      if case .finished(let index, let result) = $0 { results[index] = result }
    }
    if case .failed(let reason) = ending { throw RunnerFault(reason: reason) }
    return ending == .completed ? trials.indices.compactMap { results[$0] } : nil
  }

  // MARK: Text

  private func title(_ scenario: Scenario) -> String {
    style.bold("\(escaped(scenario.name)): \(escaped(scenario.summary))")
  }

  private func unique(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }

  /// `all 1000 reads, 0.12 s`, `deadlock after 3 of 1000`
  private func outcome(_ result: TrialResult) -> String {
    let seen = result.observation
    let calls = "\(seen.completed) of \(seen.operations)"
    return result.verdict.kind == .passed
      ? "\(calls) calls end" : "\(verdictText(result.verdict)) after \(calls) calls"
  }

  /// A row for each subject, a column for each width.
  private func table(_ results: [TrialResult], widths: [Int]) -> [String] {
    func cell(_ result: TrialResult?) -> String {
      guard let result else { return "" }
      let seen = result.observation
      return result.verdict.kind == .passed
        ? "passed" : "\(result.verdict.kind.rawValue), \(seen.completed) of \(seen.operations)"
    }
    var rows = [[""] + widths.map { $0 == 1 ? "1 thread" : "\($0) threads" }]
    for subject in unique(results.map(\.trial.subject)) {
      rows.append(
        [subject]
          + widths.map { width in
            cell(
              results.first {
                $0.trial.subject == subject && $0.trial.scenario.poolWidth == width
              })
          })
    }
    let columns = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      zip(row, columns).map { $0 + String(repeating: " ", count: $1 - $0.count) }
        .joined(separator: "  ").replacing(/\ +$/, with: "")
    }
  }

  private func explanation(_ result: TrialResult) -> [String] {
    let width = result.trial.scenario.poolWidth ?? 0
    let pool = "a pool of \(width) thread\(width == 1 ? "" : "s")"
    var lines = [
      style.bold("\(result.trial.subject) on \(pool): \(verdictText(result.verdict))")
    ]
    lines += StarvationPicture(result)?.lines.map { "  \($0)" } ?? []
    if let explanation = result.explanation {
      lines += (explanation.details + explanation.advice).map { "  \(escaped($0))" }
    } else {
      lines.append("  \(escaped(result.message))")
    }
    let repair = world.subjects.first { $0.name == result.trial.subject }?.repair ?? []
    if !repair.isEmpty {
      lines.append("  repair:")
      lines += repair.map { line in
        let mark = line.first
        let text = "    \(line)"
        return mark == "+" ? style.green(text) : mark == "-" ? style.red(text) : text
      }
    }
    return lines
  }

  /// Explores a cache that hangs, on the same pool. Unlike a run, this does not depend on chance.
  private func explored(_ result: TrialResult, named scenario: String) throws -> [String] {
    guard ProcessorSupport.gap(on: world.processor) == nil else { return [] }
    var options = options
    options.subjects = [result.trial.subject]
    options.poolWidth = result.trial.scenario.poolWidth
    options.budget = .orders(1000)
    let plan = try RunPlan(
      exploring: [result.trial.scenario], options: options, subjects: world.subjects,
      currentFolder: world.currentFolder)
    // Another verdict, such as orders that all pass within the budget, reproduces nothing.
    guard let found = try run(plan.trials)?.first, found.verdict.kind == .deadlock else {
      return []
    }
    var words = [world.command, "explore", scenario, "--subject", found.trial.subject]
    if let width = options.poolWidth { words += ["--pool-width", "\(width)"] }
    if let folder = options.scenarioFolder { words += ["--scenarios", folder] }
    let command = words.map(shellWord).joined(separator: " ")
    return [
      "reproduced without luck, in \(secondsText(found.observation.seconds))"
        + " (\(verdictText(found.verdict)), \(progressText(of: found))): \(command)"
    ]
  }
}
