import Explorer
import Findings
import StressRunner

extension RunPlan {
  /// The seconds that a child may take beyond the budget, to start and to search for the shortest
  /// order.
  private static let extraSeconds = 300.0

  /// Plans an exploration of each pair of scenario and subject.
  ///
  /// - Parameters:
  ///   - scenarios: The scenarios to explore.
  ///   - options: The options of the command line.
  ///   - subjects: The executable's subjects.
  ///   - currentFolder: The folder against which relative paths are resolved.
  ///   - seconds: The budget of each exploration if no option gives one.
  /// - Throws: An error for an unknown name, a token that belongs to another pair or to several,
  ///   or a file of failing orders that cannot be read.
  init(
    exploring scenarios: [Scenario], options: Options, subjects: [SubjectEntry],
    currentFolder: String, seconds: Double = 10
  ) throws(UsageError) {
    var options = options
    // Make the path absolute: a subject may change its current folder.
    options.corpus = options.corpus.map { $0.hasPrefix("/") ? $0 : "\(currentFolder)/\($0)" }
    try Self.checkSubjects(options, subjects, .explore)
    try Self.checkShard(options)
    for scenario in scenarios {
      for subject in subjects where Self.isWanted(subject, in: scenario, options) {
        trials.append(
          Self.exploration(of: scenario, on: subject.name, options, seconds: seconds))
      }
    }
    if trials.isEmpty {
      throw .nothingSelected("None of these scenarios is for the requested subjects", .explore)
    }
    if let token = options.token { try check(token, options) }
    spread(options.jobs ?? 1)
    try checkCorpus()
  }

  /// A note that names scripts whose order is not kept in explorations although `expect` only
  /// describes that order; `nil` for none. A file with expectations for explorations needs no note:
  /// its author knows.
  var noteOfFreeRoles: String? {
    var names: [String] = []
    for trial in trials {
      let scenario = trial.scenario
      guard trial.explore?.token == nil, trial.explore != nil,
        scenario.workload.script?.order.isEmpty == false,
        scenario.exploreExpectations[trial.subject] == nil,
        scenario.expectations[trial.subject]?.explored == nil, names.last != scenario.name
      else { continue }
      names.append(scenario.name)
    }
    guard let first = names.first else { return nil }
    let whole = names.count == 1 ? "'\(first)'" : "'\(first)' and \(names.count - 1) more"
    return "an exploration does not keep the order of a script: the roles of \(whole) run freely,"
      + " and may fail in an order of which 'expect' does not speak; state what is expected then"
      + " under 'explore', or use 'run'"
  }

  /// Checks that the strategy gives each shard different orders.
  private static func checkShard(_ options: Options) throws(UsageError) {
    guard options.shard != .whole else { return }
    switch options.strategy {
    case .depthFirst, .roundRobin:
      throw UsageError(
        "The option '--shard <i/n>' does nothing with '--strategy dfs' and 'round-robin'", .explore)
    default: break
    }
  }

  /// Divides the orders of each trial among the processes that would run no trial.
  private mutating func spread(_ jobs: Int) {
    let ofEach = min(jobs / trials.count, ExplorationOptions.jobsRange.upperBound)
    guard ofEach > 1 else { return }
    for index in trials.indices { trials[index].explore?.options.jobs = ofEach }
  }

  private func checkCorpus() throws(UsageError) {
    for trial in trials {
      guard let request = trial.explore else { continue }
      do throws(ExplorationRefusal) {
        try trial.exploration(request).checkCorpus()
      } catch {
        throw UsageError("The option '--corpus <folder>': \(error.description)", .explore)
      }
    }
  }

  /// The trial that explores a scenario on a subject.
  private static func exploration(
    of scenario: Scenario, on subject: String, _ options: Options, seconds: Double
  ) -> Trial {
    var trial = Trial(
      scenario: scenario, subject: subject, seed: options.seed ?? scenario.workload.seed)
    let request = options.exploreRequest(of: scenario, seed: trial.seed, seconds: seconds)
    trial.explore = request
    trial.delays = nil
    trial.scenario.limits.timeSeconds = request.options.seconds + Self.extraSeconds
    return trial
  }

  private func check(_ token: String, _ options: Options) throws(UsageError) {
    for (name, isGiven) in [
      ("--strategy <strategy>", options.strategy != nil),
      ("--budget <budget>", options.budget != nil),
      ("--pool-width <n>", options.poolWidth != nil),
      ("--corpus <folder>", options.corpus != nil),
      ("--explain-orders", options.explainsOrders),
      ("--shard <i/n>", options.shard != .whole),
    ] where isGiven {
      throw UsageError("The option '\(name)' does nothing with '--replay <token>'", .explore)
    }
    guard let trial = trials.first, trials.count == 1, let request = trial.explore else {
      throw UsageError(
        "'--replay <token>' needs one scenario and one subject: found \(trials.count) pairs; use:"
          + " explore <scenario> --subject <name> --replay <token>", .explore)
    }
    do throws(ExplorationRefusal) {
      try trial.exploration(request).check(token)
    } catch {
      throw UsageError(
        "The value '\(printable(token))' is invalid for '--replay <token>': \(error.description)",
        .explore)
    }
  }
}
