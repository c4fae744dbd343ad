package import Explorer
import Interlock

/// A parsed command line.
package enum Invocation: Sendable, Hashable {
  /// Replay these scenarios, by name or path, or all of them if none is given.
  case run(scenarios: [String], Options)
  /// Explore the orders of these scenarios, by name or path, or of all scenarios with expectations
  /// in `explore`.
  case explore(scenarios: [String], Options)
  /// Explore the tests of a package that match a filter.
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
  /// Run these benches, or all if none is named.
  case bench([String])
  /// Report the run whose shards have these records, or the records in these folders.
  case merge(records: [String], Options)
  /// Explain these kinds of findings, or list all kinds if none is named.
  case explain([String])
  /// Show the capabilities of this build on this machine.
  case doctor(Options)
  /// Write a first test into the package in the current folder.
  case initialize(Options)
  /// Explain a command; `nil` for a summary of all commands.
  case help(CommandName?)
  /// Print the version.
  case version
}

/// The values of the options; the initial values are the defaults.
package struct Options: OptionValues, Hashable {
  /// Reasons for a red run, in addition to an unexpected verdict.
  package enum FailOn: String, Sendable, CaseIterable {
    /// A predicted finding that no scenario expects.
    case potential
    /// A skipped trial.
    case skipped
    /// A stale entry of the baseline: the run could have shown it again and did not.
    case stale
  }

  /// The budget of an exploration.
  package enum Budget: Sendable, Hashable {
    /// This much real time.
    case seconds(Double)
    /// This many orders.
    case orders(Int)
  }

  /// A question that replaces the command.
  package enum Question: Sendable {
    /// A request for help with the command.
    case help
    /// A request for the version.
    case version
  }

  /// When to write colours.
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
  /// The number of trials of each pair of scenario and subject.
  package var repeats = 1
  /// The seed of every trial; `nil` uses each scenario's own.
  package var seed: UInt64?
  /// The number of trials that run at a time; `nil` derives it from the machine.
  package var jobs: Int?
  /// The time limit of every trial in seconds; `nil` uses each scenario's own.
  package var timeLimit: Double?
  /// The number of processors for which the children's pools are sized; `nil` uses each scenario's
  /// own.
  package var poolWidth: Int?
  /// The strategy of an exploration; `nil` for the default.
  package var strategy: ExplorationOptions.Strategy?
  /// The budget of an exploration; `nil` for the default.
  package var budget: Budget?
  /// The token of the one order to execute; `nil` to search.
  package var token: String?
  /// The folder that keeps the failing orders of explorations; `nil` for none.
  package var corpus: String?
  /// True to run each order in its own process.
  package var isolates = false
  /// True to show the sources of an exploration's orders.
  package var explainsOrders = false
  /// True for exact times in explorations.
  package var hasExactTime = false
  /// The memory model of explorations; `nil` for the default.
  package var memoryModel: ExplorationOptions.MemoryModel?
  /// True if `pool` uses real pools.
  package var usesRealPools = false
  /// True to sometimes hold sections open at call sites that nearly overlapped.
  package var delays = true
  /// The file that keeps pairs of such call sites between runs; `nil` for none.
  package var trapFile: String?
  /// True if children predict deadlocks and races; `nil` decides by each scenario's expectations.
  package var predict: Bool?
  /// True if children check memory for races; `nil` checks it if the subject's code is compiled for
  /// that.
  package var memory: Bool?
  /// The reasons for a red run, in addition to an unexpected verdict.
  package var failsOn: Set<FailOn> = []
  /// The file of old findings, which do not make the run red; `nil` for none.
  package var baseline: String?
  /// True to write that file again with the findings of the run.
  package var updatesBaseline = false
  /// The part of the trials to run.
  package var shard = Shard.whole
  /// The file in which each judged trial is recorded; `nil` for none.
  package var record: String?
  /// The record to continue; `nil` for a new run.
  package var resumed: String?
  /// True if a resource used by a single owner makes the run red.
  package var requiresContention = false
  /// The report files, by format name; `-` is standard output.
  package var reportFiles: [String: String] = [:]
  /// The report files that no option names, by format name. They are written because a CI service
  /// reads them.
  package var unaskedFiles: [String: String] = [:]
  /// The formats whose text goes to the terminal after the other text.
  package var outputFormats: Set<String> = []
  /// True to show all evidence.
  package var isVerbose = false
  /// When to write colours.
  package var color = Color.auto
  /// The folder of scenarios; `nil` for the executable's own.
  package var scenarioFolder: String?

  /// A question that replaces the command.
  package var question: Question?

  /// The distinct options that a replay of a trial repeats, in the given order.
  package var repeated: [RepeatedOption] = []

  /// The options specific to `gate`.
  package var gate = GateOptions()
  /// True to ignore SwiftPM's lock, because the caller holds it.
  package var ignoresLock = false
  /// The options specific to `hunt`.
  package var hunt = HuntOptions()
  /// The options specific to `compare`.
  package var compare = CompareOptions()
  /// The options specific to `init`.
  package var initial = InitOptions()

  /// Creates the default options.
  package init() {}

  /// True if a predicted finding that no scenario expects makes the run red.
  package var failsOnPotential: Bool { failsOn.contains(.potential) }
  /// True if a skipped trial makes the run red.
  package var failsOnSkipped: Bool { failsOn.contains(.skipped) }
}

/// An option as given: its name without hyphens, and its value if it takes one.
package struct RepeatedOption: Sendable, Hashable {
  package var name: String
  package var value: String?
  /// True if a replay of one order leaves the option out.
  package var isForSearch = false
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
  /// Explore unchanged tests.
  case hunt
  /// List subjects, scenarios and benches.
  case list
  /// List known bugs.
  case recipes
  /// Find the smallest pool.
  case pool
  /// Run benches.
  case bench
  /// Combine the shards of a run.
  case merge
  /// Explain a kind of finding.
  case explain
  /// Show the capabilities of this build.
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

  /// The command's argument: its name and its meaning; `nil` if the command takes none.
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
