import Reports
import StressRunner

/// `pool`: finds the smallest pool with which a trial completes.
struct PoolCommand {
  private let world: World
  private let options: Options

  init(world: World, options: Options) {
    self.world = world
    self.options = options
  }

  /// Tries one scenario on one subject with pools of several widths, and prints each result.
  ///
  /// Doubles the width until the trial completes, and then bisects: a subject that completes with a
  /// pool also completes with a larger one, because more of its blocks can run.
  func perform(_ scenarios: [String], firstArgument: String?) throws -> ExitCode {
    guard scenarios.count == 1, options.subjects.count == 1 else {
      throw UsageError(
        "'pool' tries one scenario on one subject: found \(scenarios.count) and"
          + " \(options.subjects.count); use: pool <scenario> --subject <name>", .pool)
    }
    let selection = try world.select(scenarios, firstArgument: firstArgument, options)
    let plan = try RunPlan(
      selection.files.map(\.scenario), options: options, subjects: world.subjects,
      currentFolder: world.currentFolder)
    guard var trial = plan.trials.first else { return .ourFault }
    world.output.write("\(trial.scenario.name) on \(trial.subject)\n\nWIDTH  VERDICT\n")
    var failing = 0
    var completing: Int?
    var width = 1
    while true {
      trial.scenario.poolWidth = width
      guard let result = try run(trial) else { return .interrupted }
      show(result, width: width)
      if result.verdict.kind == .skipped { return .unmet }
      if result.observation.finished { completing = width } else { failing = width }
      if let completing {
        if completing - failing <= 1 { return report(trial, smallest: completing) }
        width = (completing + failing) / 2
      } else {
        if width == Limits.poolWidthRange.upperBound { return report(trial, smallest: nil) }
        width = min(width * 2, Limits.poolWidthRange.upperBound)
      }
    }
  }

  private func run(_ trial: Trial) throws -> TrialResult? {
    var result: TrialResult?
    let ending = try world.runTrials(1, [trial]) {
      if case .finished(_, let finished) = $0 { result = finished }
    }
    if case .failed(let reason) = ending { throw RunnerFault(reason: reason) }
    return result
  }

  private func show(_ result: TrialResult, width: Int) {
    let seen = result.observation
    let number = String(width)
    world.output.write(
      String(repeating: " ", count: 5 - number.count) + number + "  "
        + "\(verdictText(result.verdict)), \(seen.completed) of \(seen.operations) calls in"
        + " \(secondsText(seen.seconds))\n")
  }

  private func report(_ trial: Trial, smallest: Int?) -> ExitCode {
    let grown =
      "(While all its threads wait, Dispatch's pool on Linux grows by one a second, so by the end of"
      + " the stall window it is wider.)\n"
    guard let smallest else {
      world.output.write(
        "\nIt completes at no width up to \(Limits.poolWidthRange.upperBound).\n" + grown)
      return .unmet
    }
    world.output.write("\nThe smallest width at which it completes is \(smallest).\n")
    if smallest > 1 { world.output.write(grown) }
    return .met
  }
}
