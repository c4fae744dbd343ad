import CInterlock
import Reports
import StressRunner

/// `run`: plans trials, has them run, says what was found as it is found, and what it comes to.
final class RunCommand {
  private let world: World
  private let options: Options
  private let text: any TextSink
  private let style: TextStyle
  private var results: [TrialResult] = []

  init(world: World, options: Options) {
    self.world = world
    var options = options
    if world.requiresContention { options.requiresContention = true }
    self.options = options
    text = options.jsonFile == "-" ? world.errors : world.output
    style = TextStyle(
      color: options.color == .always || options.color == .auto && text.width != nil)
  }

  func perform(_ scenarios: [String], firstArgument: String?) throws -> ExitCode {
    if !world.optionErrors.isEmpty {
      throw UsageError(
        "INTERLOCK_OPTIONS has what nothing here knows or heeds, as said above", .run)
    }
    let selection = try world.select(scenarios, firstArgument: firstArgument, options)
    let plan = try RunPlan(
      selection.files.map(\.scenario), options: options, subjects: world.subjects,
      currentFolder: world.currentFolder)
    if options.requiresContention, !world.tracksSections {
      throw UsageError(
        "The option '--require-contention' needs section tracking (a debug build, or --traits"
          + " SectionTracking), found a build without", .run)
    }
    // Before anything is run or emptied: a tracker that sees nothing would pass all that is
    // expected to.
    if world.tracksSections, let failure = world.selfTest() {
      world.errors.write(
        "error: a fault of Interlock's own: section tracking does not work in this run: \(failure)\n"
      )
      return .ourFault
    }
    let context = ReportContext(
      version: World.version, host: world.host, seed: options.seed, command: world.command,
      replay: replay(selection), sight: world.sight)
    // The look comes first: the other file is emptied at once.
    let html = try options.htmlFile.map { path in try HTMLResultFile(path: path) }
    let json = try options.jsonFile.map { path in
      try JSONResultFile(
        path: path, planned: plan.trials.count, context: context, output: world.output)
    }
    if options.timeLimit != nil, let warning = plan.warning {
      world.errors.write("warning: \(warning)\n")
    }
    let start = world.now()
    let ending = try run(plan.trials, json)
    json?.finish()
    let report = TextReport(
      context: context, style: style, isVerbose: options.isVerbose,
      requiresContention: options.requiresContention)
    let width = text.width ?? 120
    let seconds = world.now() - start
    text.write("\n" + report.text(results, of: plan.trials, seconds: seconds, width: width))
    let page = HTMLReport(
      results, of: plan.trials, seconds: seconds, context: context,
      isVerbose: options.isVerbose)
    let failures = [
      (options.jsonFile, json?.failure), (options.htmlFile, html?.write(page.text)),
    ]
    for case (let path?, let failure?) in failures {
      world.errors.write("error: '\(escaped(path))' could not be written: \(failure)\n")
    }
    if failures.contains(where: { $0.1 != nil }) { return .ourFault }
    if html != nil, ending == .completed, interlock_interrupted() {
      text.write("interrupted while the page was written, which is whole\n")
      return .interrupted
    }
    return exitCode(ending, planned: plan.trials.count)
  }

  /// Runs what can be judged in this build; the rest is skipped at once.
  private func run(_ trials: [Trial], _ json: JSONResultFile?) throws -> TrialRunner.Ending {
    let line = TrialLine(trials, style: style)
    var display = ProgressDisplay(trials)
    func show(_ permanent: String) {
      if let width = text.width, let height = text.height {
        text.write(display.redraw(above: permanent, width: width, height: height))
      } else if !permanent.isEmpty {
        text.write(permanent)
      }
    }
    func finish(_ index: Int, _ result: TrialResult) {
      // First what lasts: a runner that is killed now has lost nothing that was judged.
      json?.add(result)
      results.append(result)
      display.finished(index, result)
      show(line.text(result, width: text.width) + "\n")
    }
    var judged: [Int] = []
    for (index, trial) in trials.enumerated() {
      let expected = trial.scenario.expectation(for: trial.subject)
      let missing = world.subjects.first { $0.name == trial.subject }?.missing
      if let missing {
        finish(index, .skipped(trial, because: missing))
      } else if expected.verdict == .race, !world.tracksSections {
        finish(index, .skippedForSections(trial))
      } else {
        judged.append(index)
      }
    }
    defer { if text.width != nil { text.write(display.clear()) } }
    guard !judged.isEmpty else { return .completed }
    return try world.runTrials(options.jobs ?? world.defaultJobs, judged.map { trials[$0] }) {
      switch $0 {
      case .started(let index):
        display.started(judged[index])
        show("")
      case .finished(let index, let result):
        finish(judged[index], result)
      case .leftBehind(let line):
        world.errors.write("warning: \(line)\n")
      }
    }
  }

  private func exitCode(_ ending: TrialRunner.Ending, planned: Int) -> ExitCode {
    if case .failed(let reason) = ending {
      world.errors.write(
        "error: the run ended after \(results.count) of \(planned) trials: \(reason)\n")
      return .ourFault
    }
    if ending == .interrupted {
      text.write("interrupted: \(results.count) of \(planned) trials were judged\n")
      return .interrupted
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
    if options.failsOnPotential, summary.potential > 0 { return .unmet }
    if options.requiresContention, Exercised(results).isInsufficient { return .unmet }
    return summary.unmet == 0 ? .met : .unmet
  }

  /// What a command that replays a trial repeats of this one.
  private func replay(_ selection: ScenarioSelection) -> ReportContext.Replay {
    var replay = ReportContext.Replay()
    replay.variables = ["INTERLOCK_OPTIONS", TrialHost.eventsVariable].compactMap { name in
      world.environment[name].map { .init(name: name, value: $0) }
    }
    replay.scenarios = selection.paths
    for option in options.repeated {
      guard let value = option.value else {
        replay.options.append("--" + option.name)
        continue
      }
      // What begins with a hyphen would be taken for another option.
      replay.options +=
        value.hasPrefix("-") ? ["--\(option.name)=\(value)"] : ["--" + option.name, value]
    }
    return replay
  }
}
