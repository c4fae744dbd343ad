import Explorer
import Foundation
import Reports
import StressRunner

/// `pool`: finds the smallest pool with which a scenario completes.
struct PoolCommand {
  private let world: World
  private let options: Options

  init(world: World, options: Options) {
    self.world = world
    self.options = options
  }

  /// The result of a trial with one pool width.
  private enum Answer {
    case completes, isStuck
    /// Neither completed nor stuck: the trial was not run, or failed in another way.
    case nothing
  }

  /// Tries one scenario on one subject with pools of several widths, and prints each result.
  ///
  /// Doubles the width until the scenario completes, and then bisects. A subject that completes
  /// with a pool also completes with a larger one, because more of its blocks can run.
  func perform(_ scenarios: [String], firstArgument: String?) throws -> ExitCode {
    guard scenarios.count == 1, options.subjects.count == 1 else {
      throw UsageError(
        "'pool' tries one scenario on one subject: found \(scenarios.count) and"
          + " \(options.subjects.count); use: pool <scenario> --subject <name>", .pool)
    }
    try world.checkOptions(of: .pool)
    let selection = try world.select(scenarios, firstArgument: firstArgument, options)
    guard let trial = try plan(selection).trials.first else { return .ourFault }
    world.output.write("\(trial.scenario.name) on \(trial.subject)\n\nWIDTH  VERDICT\n")
    var stuck: (width: Int, result: TrialResult)?
    var completing: (width: Int, result: TrialResult)?
    var width = 1
    while true {
      guard let result = try run(Self.of(width, trial)) else { return .interrupted }
      show(result, width: width)
      switch answer(result) {
      case .nothing:
        world.output.write("\nThat decides nothing about the pool: \(result.message)\n")
        return .unmet
      case .completes: completing = (width, result)
      case .isStuck: stuck = (width, result)
      }
      if let completing {
        let most = stuck?.width ?? 0
        if completing.width - most <= 1 {
          return report(smallest: completing, stuck: stuck, replay(selection))
        }
        width = (completing.width + most) / 2
      } else {
        if width == Limits.poolWidthRange.upperBound {
          return report(smallest: nil, stuck: stuck, replay(selection))
        }
        width = min(width * 2, Limits.poolWidthRange.upperBound)
      }
    }
  }

  private func plan(_ selection: ScenarioSelection) throws -> RunPlan {
    let scenarios = selection.files.map(\.scenario)
    if options.usesRealPools {
      return try RunPlan(
        scenarios, options: options, subjects: world.subjects, currentFolder: world.currentFolder)
    }
    if options.timeLimit != nil {
      throw UsageError("The option '--time-limit <seconds>' does nothing without '--real'", .pool)
    }
    return try RunPlan(
      exploring: scenarios, options: options, subjects: world.subjects,
      currentFolder: world.currentFolder, seconds: 2)
  }

  /// The trial with pools of this width, both simulated and real.
  private static func of(_ width: Int, _ trial: Trial) -> Trial {
    var trial = trial
    if trial.explore == nil { trial.scenario.poolWidth = width }
    trial.explore?.options.poolWidth = width
    return trial
  }

  private func answer(_ result: TrialResult) -> Answer {
    switch result.verdict.kind {
    case .skipped, .race, .crashed, .violation: .nothing
    case .deadlock: .isStuck
    default:
      if result.trial.explore == nil {
        result.observation.finished ? .completes : .isStuck
      } else {
        result.verdict.kind == .passed ? .completes : .nothing
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
    let number = String(width)
    world.output.write(
      String(repeating: " ", count: 5 - number.count) + number + "  "
        + "\(verdictText(result.verdict)), \(progressText(of: result)) in"
        + " \(secondsText(result.observation.seconds))\n")
  }

  private func report(
    smallest: (width: Int, result: TrialResult)?, stuck: (width: Int, result: TrialResult)?,
    _ context: ReportContext
  ) -> ExitCode {
    let grown =
      options.usesRealPools && (smallest?.width ?? 2) > 1
      ? "(While all its threads wait, Dispatch's pool on Linux grows by one a second, so by the end"
        + " of the stall window it is wider.)\n" : ""
    if let smallest {
      world.output.write("\n\(claim(smallest.width, smallest.result))\n")
    } else {
      world.output.write(
        "\nIt completes at no width up to \(Limits.poolWidthRange.upperBound).\n")
    }
    world.output.write(grown)
    if !options.usesRealPools {
      if let smallest {
        world.output.write("\(smallest.width): \(smallest.result.message)\n")
      }
      if let stuck {
        world.output.write("\(stuck.width): \(stuck.result.message)\n")
        world.output.write("replay: \(replay(stuck, context))\n")
      }
    }
    return smallest == nil ? .unmet : .met
  }

  /// A sentence about the smallest width found, claiming only what the orders tried there prove.
  private func claim(_ width: Int, _ result: TrialResult) -> String {
    if options.usesRealPools {
      return "The smallest width tried at which it completed is \(width). A run shows one order:"
        + " near that width, another run may end differently."
    }
    guard case .allOrdersPass? = result.observation.exploration?.outcome else {
      return "The smallest width at which no order tried hangs is \(width)."
        + " Not every order was tried."
    }
    return "The smallest width at which it completes is \(width)."
  }

  /// The command that replays a stuck order. It names the width instead of a long token: the token
  /// of a thousand threads fills a page, and the width suffices to find the first order again.
  private func replay(
    _ stuck: (width: Int, result: TrialResult), _ context: ReportContext
  ) -> String {
    let command = context.replay(stuck.result)
    guard command.count > 300, let start = command.range(of: " --replay ") else { return command }
    return "\(command[..<start.lowerBound]) --pool-width \(stuck.width)"
  }

  private func replay(_ selection: ScenarioSelection) -> ReportContext {
    var replay = ReportContext.Replay()
    replay.scenarios = selection.paths
    if let folder = options.scenarioFolder { replay.options = ["--scenarios", folder] }
    return ReportContext(
      version: World.version, host: world.host, seed: options.seed, command: world.command,
      replay: replay)
  }
}
