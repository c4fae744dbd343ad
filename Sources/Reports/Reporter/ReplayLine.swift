import Explorer
package import StressRunner

// The command line that a report prints to replay a trial.

extension ReportContext {
  /// The data that a replay command needs in addition to the trial's scenario, subject and seed.
  package struct Replay: Sendable, Hashable, Codable {
    /// The environment variables that affect a trial, and their values.
    package var variables: [Variable] = []
    /// The path of each scenario on the command line, by the scenario's name. A scenario without a
    /// path is given by its name.
    package var scenarios: [String: String] = [:]
    /// Options that change a trial, and their values: `["--scenarios", "FOLDER"]`.
    package var options: [String] = []
    /// Options that decide which orders an exploration tries, and their values; `nil` in records of
    /// earlier versions.
    package var search: [String]?

    /// An environment variable.
    package struct Variable: Sendable, Hashable, Codable {
      /// The name of the variable.
      package var name: String
      /// The value of the variable.
      package var value: String

      /// Describes a variable.
      package init(name: String, value: String) {
        self.name = name
        self.value = value
      }
    }

    /// An empty replay.
    package init() {}
  }

  /// The command that replays a trial; for an exploration, the command that replays the failed
  /// order.
  package func replay(_ result: TrialResult) -> String {
    let trial = result.trial
    let scenario = replay.scenarios[trial.scenario.name] ?? trial.scenario.name
    var words = [command, trial.explore == nil ? "run" : "explore", scenario]
    words += ["--subject", trial.subject]
    // The token of an order contains its random choices. The seed of the calls may come from the
    // command.
    if trial.explore == nil || seed != nil { words += ["--seed", "\(trial.seed)"] }
    words += replay.options
    // The default of this option depends on how the executable was built.
    if trial.checksMemory, !replay.options.contains("--memory") { words += ["--memory", "on"] }
    if case .explored(let failure) = result.verdict {
      words += ["--replay", failure.token]
    } else if trial.explore != nil {
      // Without an order to replay, the same orders are tried again.
      words += replay.search ?? []
    }
    let variables = replay.variables.map { "\($0.name)=\(shellWord($0.value))" }
    return (variables + words.map(shellWord)).joined(separator: " ")
  }
}
