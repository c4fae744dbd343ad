package import Explorer
import Interlock

/// A parsed command line.
package enum Invocation: Sendable, Hashable {
  /// Replay these scenarios, by name or path, or all of them if none is given.
  case run(scenarios: [String], Options)
  /// Explore the orders of these scenarios, by name or path, or of all that expect a result of
  /// `explore`.
  case explore(scenarios: [String], Options)
  /// Explore the tests of a package that a filter selects.
  case hunt(filters: [String], Options)
  /// List the subjects, scenarios and benches whose name or summary contains these texts.
  case list(texts: [String], Options)
  /// List the known bugs of real systems that the scenarios reproduce.
  case recipes(Options)
  /// Find the smallest pool with which a scenario completes.
  case pool(scenarios: [String], Options)
  /// Replay a scenario on pools of several widths, and explain each deadlock.
  case deadlocks(scenarios: [String], Options)
  /// Replay scenarios for a CI job.
  case gate(scenarios: [String], Options)
  /// Measure lock strategies or caches against each other, on these scenarios or on a grid of
  /// workloads.
  case compare(scenarios: [String], Options)
  /// Measure these benches, or all if none is named.
  case bench([String])
  /// Report the run whose shards have these records, or records in these folders.
  case merge(records: [String], Options)
  /// Explain these kinds of findings; list all of them if none is named.
  case explain([String])
  /// Show what this build sees on this machine.
  case doctor(Options)
  /// Write a first test into the package of the current folder.
  case initialize(Options)
  /// Explain a command; `nil` for a summary of all.
  case help(CommandName?)
  /// Print the version.
  case version
}

/// The values of the options; the initial values are the defaults.
package struct Options: OptionValues, Hashable {
  /// What makes a run red, in addition to an unexpected verdict.
  package enum FailOn: String, Sendable, CaseIterable {
    /// A predicted finding that no scenario expects.
    case potential
    /// A trial that is skipped.
    case skipped
    /// An entry of the baseline that the run could have shown again and did not.
    case stale
  }

  /// How much an exploration may do.
  package enum Budget: Sendable, Hashable {
    /// This much real time.
    case seconds(Double)
    /// This many orders.
    case orders(Int)
  }

  /// A question that replaces the command.
  package enum Question: Sendable {
    /// What does the command do?
    case help
    /// Which version is this?
    case version
  }

  /// When colours are written.
  package enum Color: String, Sendable, CaseIterable {
    /// On a terminal that can show them.
    case auto
    /// Always, into pipes and files as well.
    case always
    /// Never.
    case never
  }

  /// The subjects to try; all if empty.
  package var subjects: [String] = []
  /// The families whose subjects are tried; all if empty.
  package var families: [String] = []
  /// The tags that listed entries must have; everything is listed if empty.
  package var tags: [String] = []
  /// How often each pair of scenario and subject is tried.
  package var repeats = 1
  /// The seed of every trial; `nil` uses each scenario's own.
  package var seed: UInt64?
  /// How many trials run at a time; `nil` derives it from the machine.
  package var jobs: Int?
  /// The time limit of every trial in seconds; `nil` uses each scenario's own.
  package var timeLimit: Double?
  /// How many processors the children's pools are made for; `nil` uses each scenario's own.
  package var poolWidth: Int?
  /// What chooses the orders of an exploration; `nil` for the default.
  package var strategy: ExplorationOptions.Strategy?
  /// How much an exploration may do; `nil` for the default.
  package var budget: Budget?
  /// The token of the one order to execute; `nil` to search.
  package var token: String?
  /// The folder that keeps the failing orders of explorations; `nil` for none.
  package var corpus: String?
  /// Whether each order runs in a process of its own.
  package var isolates = false
  /// Say where the orders of an exploration come from.
  package var explainsOrders = false
  /// Whether times are exact in explorations.
  package var hasExactTime = false
  /// What a load of an atomic may read in explorations; `nil` for the default.
  package var memoryModel: ExplorationOptions.MemoryModel?
  /// Whether 'pool' waits for real pools.
  package var usesRealPools = false
  /// Whether sections at call sites that nearly overlapped are sometimes held open.
  package var delays = true
  /// The file that keeps pairs of such call sites from run to run; `nil` for none.
  package var trapFile: String?
  /// Whether children predict deadlocks and races; `nil` decides by each scenario's expectations.
  package var predict: Bool?
  /// Whether children look for races in memory; `nil` looks if the subject's code is compiled for
  /// it.
  package var memory: Bool?
  /// What makes a run red, in addition to an unexpected verdict.
  package var failsOn: Set<FailOn> = []
  /// The file of old findings, which do not make the run red; `nil` for none.
  package var baseline: String?
  /// Whether that file is written anew, with what the run finds.
  package var updatesBaseline = false
  /// Which part of the trials is run.
  package var shard = Shard.whole
  /// The file in which each judged trial is recorded; `nil` for none.
  package var record: String?
  /// The record that is continued; `nil` for a new run.
  package var resumed: String?
  /// Whether a resource that a single owner used makes the run red.
  package var requiresContention = false
  /// The files to write reports to, by the name of the format; `-` is standard output.
  package var reportFiles: [String: String] = [:]
  /// The files to write reports to although no option names them, by the name of the format: a CI
  /// service reads them.
  package var unaskedFiles: [String: String] = [:]
  /// The formats whose text goes to the terminal after the other text.
  package var outputFormats: Set<String> = []
  /// Whether all evidence is shown.
  package var isVerbose = false
  /// When colours are written.
  package var color = Color.auto
  /// The folder of scenarios; `nil` for the executable's own.
  package var scenarioFolder: String?

  /// A question that replaces the command.
  package var question: Question?

  /// The options that a replay of a trial repeats, in the given order, each once.
  package var repeated: [RepeatedOption] = []

  /// The options of `gate` alone.
  package var gate = GateOptions()
  /// Whether SwiftPM's lock is ignored, because the caller holds it.
  package var ignoresLock = false
  /// The options of `hunt` alone.
  package var hunt = HuntOptions()
  /// The options of `compare` alone.
  package var compare = CompareOptions()
  /// The options of `init` alone.
  package var initial = InitOptions()

  /// The defaults.
  package init() {}

  /// Whether a predicted finding that no scenario expects makes the run red.
  package var failsOnPotential: Bool { failsOn.contains(.potential) }
  /// Whether a skipped trial makes the run red.
  package var failsOnSkipped: Bool { failsOn.contains(.skipped) }
}

/// An option as it was given: its name without hyphens, and its value, if it takes one.
package struct RepeatedOption: Sendable, Hashable {
  package var name: String
  package var value: String?
}

/// The commands.
package enum CommandName: String, Sendable, CaseIterable {
  /// Replay scenarios.
  case run
  /// Reproduce the deadlocks of the thousand reads.
  case deadlocks
  /// Measure strategies against each other.
  case compare
  /// Replay scenarios for a CI job.
  case gate
  /// Explore orders.
  case explore
  /// Explore tests as they are.
  case hunt
  /// List subjects, scenarios and benches.
  case list
  /// List known bugs.
  case recipes
  /// Find the smallest pool.
  case pool
  /// Measure.
  case bench
  /// Make one run of its shards.
  case merge
  /// Explain a kind of finding.
  case explain
  /// Show what this build sees.
  case doctor
  /// Write a first test into a package.
  case initialize = "init"
  /// Explain a command.
  case help

  /// The command's purpose, in one line.
  package var summary: String {
    switch self {
    case .run: "Replay scenarios on subjects, and compare the verdicts with the expected ones."
    case .deadlocks: "Replay a thousand reads on pools of several widths, explain deadlocks."
    case .gate: "Replay scenarios for a CI job, on this executable or on one that it builds first."
    case .explore: "Execute the orders in which a scenario's threads can run, until one fails."
    case .hunt: "Explore the tests of a package until an order fails, for a regression test."
    case .list: "List subjects, scenarios, strategies and benches."
    case .recipes: "List the known bugs of real systems, with the verdicts that show them."
    case .pool: "Find the smallest thread pool with which a scenario completes on a subject."
    case .compare: "Measure lock strategies or caches against each other on the same work."
    case .bench: "Measure, and print the figures."
    case .merge: "Report a run whose shards ran on several machines, from their records."
    case .explain: "Explain a kind of finding: what it means, an example, how to mend it."
    case .doctor: "Show what this build sees on this machine, and what it does not."
    case .initialize: "Write a first test, a scenario or a CI workflow into a package."
    case .help: "Explain a command."
    }
  }

  /// The command's synopsis.
  package var usage: String {
    switch self {
    case .run: "run [<options>] [<scenario> ...]"
    case .deadlocks: "deadlocks [<options>] [<scenario>]"
    case .gate: "gate [<options>] [<scenario> ...]"
    case .explore: "explore [<options>] [<scenario> ...]"
    case .hunt: "hunt [<options>] <filter> [-- <options of swift test>]"
    case .list: "list [<options>] [<text> ...]"
    case .recipes: "recipes [<options>]"
    case .pool: "pool [<options>] <scenario> --subject <name>"
    case .compare: "compare [<options>] [<scenario> ...]"
    case .bench: "bench [<bench> ...]"
    case .merge: "merge [<options>] <record> ..."
    case .explain: "explain [<kind> ...]"
    case .doctor: "doctor [<options>]"
    case .initialize: "init [<options>]"
    case .help: "help [<command>]"
    }
  }

  /// The command's arguments: a name, and its meaning.
  package var argument: (name: String, help: String)? {
    switch self {
    case .deadlocks:
      (
        "scenario",
        "The scenario to replay, by name or by the path of its file. (default: concurrent-reads)"
      )
    case .run, .gate:
      (
        "scenario",
        "The scenarios to replay: by name, or by the path of a file or folder. (default: all in the"
          + " folder)"
      )
    case .explore:
      (
        "scenario",
        "The scenarios to explore: by name, or by the path of a file or folder. (default: all in"
          + " the folder with expectations of 'explore')"
      )
    case .hunt:
      ("filter", "The tests to explore: a regular expression, as 'swift test --filter' has it.")
    case .list:
      ("text", "List only what has this text, or all of several texts, in its name or summary.")
    case .recipes: nil
    case .pool: ("scenario", "The scenario to try, by name or by the path of its file.")
    case .compare:
      ("scenario", "Scenarios on whose workloads caches are compared. (default: a grid)")
    case .bench: ("bench", "What to measure, by name. (default: everything)")
    case .merge:
      ("record", "The records of all shards, or folders that hold them as files in '.jsonl'.")
    case .explain:
      ("kind", "The kind, as reports show it: race, deadlock-cycle. (default: a list of all)")
    case .doctor, .initialize: nil
    case .help:
      (
        "command",
        "The command to explain: "
          + Self.allCases.dropLast(2).map(\.rawValue).joined(separator: ", ")
          + " or \(Self.initialize.rawValue)."
      )
    }
  }
}
