import Explorer
package import StressRunner

// The command line that a report prints to replay a trial.

extension ReportContext {
  /// What a replay command needs in addition to the trial's scenario, subject and seed.
  package struct Replay: Sendable, Hashable, Codable {
    /// The environment variables that affect a trial, and their values.
    package var variables: [Variable] = []
    /// The path that names a scenario on the command line, by the scenario's name. A scenario
    /// without one is named by its name.
    package var scenarios: [String: String] = [:]
    /// Options that change a trial, and their values: `["--scenarios", "FOLDER"]`.
    package var options: [String] = []

    /// An environment variable.
    package struct Variable: Sendable, Hashable, Codable {
      /// Its name.
      package var name: String
      /// Its value.
      package var value: String

      /// Gives a variable its value.
      package init(name: String, value: String) {
        self.name = name
        self.value = value
      }
    }

    /// An empty replay.
    package init() {}
  }

  /// The command that replays a trial; of an exploration, the order that failed.
  package func replay(_ result: TrialResult) -> String {
    let trial = result.trial
    let scenario = replay.scenarios[trial.scenario.name] ?? trial.scenario.name
    var words = [command, trial.explore == nil ? "run" : "explore", scenario]
    words += ["--subject", trial.subject]
    // The token of an order has its random choices; the seed of the calls may be the command's.
    if trial.explore == nil || seed != nil { words += ["--seed", "\(trial.seed)"] }
    words += replay.options
    // By default it depends on how the executable was built.
    if trial.checksMemory, !replay.options.contains("--memory") { words += ["--memory", "on"] }
    if case .explored(let failure) = result.verdict { words += ["--replay", failure.token] }
    let variables = replay.variables.map { "\($0.name)=\(shellWord($0.value))" }
    return (variables + words.map(shellWord)).joined(separator: " ")
  }
}
