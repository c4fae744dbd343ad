import CInterlockHarness
import Findings
import Reports
import StressRunner

/// `run` and `explore`: plans trials, runs them, and reports each result and the run.
final class RunCommand {
  private let world: World
  private let options: Options
  private let command: CommandName
  private let isGate: Bool

  init(world: World, options: Options, _ command: CommandName, isGate: Bool = false) {
    self.world = world
    self.command = command
    self.isGate = isGate
    var options = options
    if world.requiresContention { options.requiresContention = true }
    self.options = options
  }

  func perform(_ scenarios: [String], firstArgument: String?) throws -> ExitCode {
    try world.checkOptions(of: command)
    let selection = try world.select(scenarios, firstArgument: firstArgument, options)
    var absent = selection.absentSubjects(of: world.subjects)
    let names = world.subjects.map(\.name)
    for file in selection.files {
      let mistyped = file.mistypedSubjects(among: names, besides: SubjectEntry.namesInTool)
      for warning in mistyped.values.sorted() { world.errors.write("warning: \(warning)\n") }
      absent.removeAll { mistyped[$0] != nil }
    }
    if !absent.isEmpty {
      world.errors.write(
        "note: the scenarios expect something of \(absent.count) subject"
          + "\(absent.count == 1 ? "" : "s") that this executable does not have:"
          + " \(absent.map(printable).joined(separator: ", "))\n")
    }
    var plan =
      if command == .explore {
        try RunPlan(
          exploring: selection.explored(asked: scenarios), options: options,
          subjects: world.subjects, currentFolder: world.currentFolder)
      } else {
        try RunPlan(
          selection.run(asked: scenarios), options: options, subjects: world.subjects,
          currentFolder: world.currentFolder)
      }
    if let note = plan.noteOfFreeRoles { world.errors.write("note: \(note)\n") }
    try plan.checkMemory(
      options, world.memory, of: world.subjects, in: command, of: world.command)
    if options.requiresContention, !world.tracksSections {
      throw UsageError(
        "The option '--require-contention' needs section tracking (a debug build, or --traits"
          + " SectionTracking), found a build without", .run)
    }
    // The trials write the file: check it here, before they run, because their own warnings are
    // shown only if they fail.
    if let path = options.trapFile {
      let full = path.hasPrefix("/") ? path : "\(world.currentFolder)/\(path)"
      _ = try FinishedFile(path: full, option: "traps", of: command)
    }
    // Check the tracker before a trial runs or a file is emptied: with a broken tracker, trials
    // with a race would pass.
    if world.tracksSections, let failure = world.selfTest() {
      world.errors.write(
        "error: a fault of Interlock's own: section tracking does not work in this run:"
          + " \(failure)\n"
      )
      return .ourFault
    }
    var context = ReportContext(
      version: World.version, host: world.host, seed: options.seed, command: world.command,
      replay: replay(selection), sight: world.sight)
    context.activity = command.rawValue
    context.began = world.began
    context.repository = Repository(around: world.currentFolder)
    context.scenarioFiles = selection.scenarioFiles(from: world.currentFolder)
    let isWhole = selection.isWhole && options.subjects.isEmpty && options.families.isEmpty
    let own = plan.trials.indices.filter { options.shard.has(plan.trials[$0]) }
    var head = RecordHead(
      activity: command.rawValue, seed: options.seed, shard: options.shard, isWhole: isWhole,
      all: plan.trials, own: own)
    head.replay = context.replay
    head.began = world.began
    head.requiresContention = options.requiresContention
    if options.record != nil { head.commit = world.commit() }
    head.files = context.scenarioFiles.mapValues {
      context.repository.location(ofFile: $0, line: nil).path
    }
    let progress = try RunProgress(options, head, of: command)
    let trials = own.map { options.shard.own(plan.trials[$0]) }
    let reports = try RunReports(world.formats, options, of: command, in: world)
    try progress.begin()
    reports.begin(trials, context)
    for (position, index) in own.enumerated() {
      if let done = progress.done[index] { reports.result(done, index: position) }
    }
    if options.timeLimit != nil, let warning = plan.warning {
      world.errors.write("warning: \(warning)\n")
    }
    let start = world.now()
    let left = own.indices.filter { progress.done[own[$0]] == nil }
    let ending = try run(left, of: trials, reports) { progress.add($1, index: own[$0]) }
    let failures =
      reports.end(
        seconds: world.now() - start,
        isComplete: ending == .completed && reports.results.count == trials.count,
        isWhole: isWhole && options.shard == .whole, failsOnStale: options.failsOn.contains(.stale))
      + progress.failures
    try showMore(reports, asked: scenarios, ending)
    for (path, reason) in failures {
      world.errors.write("error: '\(escaped(path))' could not be written: \(reason)\n")
    }
    let code = exitCode(ending, reports, planned: trials.count)
    return failures.isEmpty ? code : .ourFault
  }

  /// Shows the picture of a wide pool and the other commands, after the executable's main job.
  private func showMore(
    _ reports: RunReports, asked scenarios: [String], _ ending: TrialRunner.Ending
  ) throws {
    guard command == .run, !isGate, world.mainJob != nil, scenarios.isEmpty, ending == .completed,
      options.subjects.isEmpty, options.families.isEmpty, options.shard == .whole,
      options.scenarioFolder == nil
    else { return }
    if let picture = try DeadlocksCommand(world: world, options: options).picture() {
      reports.text.write("\n" + picture)
    }
    let name = "swift run \(world.command)"
    reports.text.write(
      """

      \(name) deadlocks  why two caches hang, how many threads would end that, and the repair
      \(name) compare    what each lock costs on the same work
      \(name) gate       the scenarios with an exit code for CI, also of your own package

      more: models of shipped caches in StressScenarios/KnownBugs, \(name)-exam, ci/benchmarks

      """)
  }

  /// Runs those trials at these indices that this build can judge, and skips the others at once.
  /// `record` receives each index and result before the reports do.
  private func run(
    _ positions: [Int], of trials: [Trial], _ reports: RunReports,
    record: (Int, TrialResult) -> Void
  ) throws -> TrialRunner.Ending {
    func add(_ result: TrialResult, index: Int) {
      record(index, result)
      reports.result(result, index: index)
    }
    var judged: [Int] = []
    for index in positions {
      let trial = trials[index]
      let missing = world.subjects.first { $0.name == trial.subject }?.missing
      if let missing {
        add(.skipped(trial, because: missing), index: index)
      } else if let reason = world.missingCheck(of: trial) {
        add(.skipped(trial, because: reason), index: index)
      } else if trial.expected.verdict == .race, !trial.checksMemory, !world.tracksSections {
        add(.skippedForSections(trial), index: index)
      } else {
        judged.append(index)
      }
    }
    defer { reports.clear() }
    guard !judged.isEmpty else { return .completed }
    return try world.runTrials(options.jobs ?? world.defaultJobs, judged.map { trials[$0] }) {
      switch $0 {
      case .started(let index):
        reports.started(judged[index])
      case .finished(let index, let result):
        add(result, index: judged[index])
      case .warning(let line):
        world.errors.write("warning: \(line)\n")
      }
    }
  }

  /// The exit code of a run with this ending.
  func exitCode(
    _ ending: TrialRunner.Ending, _ reports: RunReports, planned: Int
  ) -> ExitCode {
    let results = reports.results
    if case .failed(let reason) = ending {
      world.errors.write(
        "error: the run ended after \(results.count) of \(planned) trials: \(reason)\n")
      return .ourFault
    }
    if ending == .interrupted {
      reports.text.write("interrupted: \(results.count) of \(planned) trials were judged\n")
      return .interrupted
    }
    if reports.hasFinishedFiles, interlock_interrupted() {
      reports.text.write("interrupted while the page was written, which is complete\n")
      return .interrupted
    }
    if command == .explore, options.shard != .whole {
      reports.text.write("\(options.shard) has its part of the orders: 'merge' decides\n")
    }
    if planned == 0 {
      reports.text.write(
        "\(options.shard) has no trial\n")
      return .met
    }
    if results.count < planned {
      world.errors.write(
        "error: a fault of Interlock's own: \(planned - results.count) trials were never judged\n")
      return .ourFault
    }
    let summary = ReportSummary(results)
    if summary.met + summary.unmet == 0 {
      world.errors.write("error: nothing was judged: all \(planned) trials were skipped\n")
      return .unmet
    }
    if options.failsOnSkipped, summary.skipped > 0 {
      world.errors.write("error: \(summary.skipped) of \(planned) trials were skipped\n")
      return .unmet
    }
    if options.requiresContention, ResourceCoverage(results).isInsufficient { return .unmet }
    if let isRed = reports.isRedByBaseline { return isRed ? .unmet : .met }
    if options.failsOnPotential, summary.potential > 0 { return .unmet }
    return summary.unmet == 0 ? .met : .unmet
  }

  /// The environment variables and options of this command that a replay must repeat.
  private func replay(_ selection: ScenarioSelection) -> ReportContext.Replay {
    var replay = ReportContext.Replay()
    let names = ["INTERLOCK_OPTIONS", TrialHost.eventsVariable, INTERLOCK_POOL_WIDTH_VARIABLE]
    replay.variables = names.compactMap { name in
      world.environment[name].map { .init(name: name, value: $0) }
    }
    replay.scenarios = selection.paths
    replay.options = options.repeated.filter { !$0.isForSearch }.flatMap(\.words)
    replay.search = options.repeated.filter(\.isForSearch).flatMap(\.words)
    return replay
  }
}

extension RepeatedOption {
  /// The option as on a command line.
  fileprivate var words: [String] {
    guard let value else { return ["--" + name] }
    // Join a value that begins with a hyphen, which would otherwise be parsed as an option.
    return value.hasPrefix("-") ? ["--\(name)=\(value)"] : ["--" + name, value]
  }
}
