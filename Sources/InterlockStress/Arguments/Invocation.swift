import Interlock

/// What the command line asks for.
package enum Invocation: Sendable, Hashable {
  /// Replay these scenarios, by name or path, or all of them if none is given.
  case run(scenarios: [String], Options)
  /// Say which subjects, scenarios and benches there are, whose name or summary has these texts.
  case list(texts: [String], Options)
  /// Say which known bugs of real systems the scenarios reproduce.
  case recipes(Options)
  /// Find the smallest pool with which a scenario completes.
  case pool(scenarios: [String], Options)
  /// Measure lock strategies or caches against each other, on these scenarios or on a grid of
  /// workloads.
  case compare(scenarios: [String], Options)
  /// Measure these, or everything if none is named.
  case bench([String])
  /// Explain a command; `nil` explains all of them in short.
  case help(CommandName?)
  /// Say the version.
  case version
}

/// What options can say; the initial values are the defaults.
package struct Options: OptionValues, Hashable {
  /// What is red beside a verdict that is not expected.
  package enum FailOn: String, Sendable, CaseIterable {
    /// A predicted finding that no scenario expects.
    case potential
    /// A trial that is skipped.
    case skipped
  }

  /// What is asked for instead of the command.
  package enum Question: Sendable {
    /// What the command does.
    case help
    /// Which version this is.
    case version
  }

  /// When colours are written.
  package enum Color: String, Sendable, CaseIterable {
    /// On a terminal that can show them.
    case auto
    /// Into pipes and files as well.
    case always
    /// Not at all.
    case never
  }

  /// The subjects to try; all of them where it is empty.
  package var subjects: [String] = []
  /// The families whose subjects are tried; all of them where it is empty.
  package var families: [String] = []
  /// The tags that what is listed has; all is listed where it is empty.
  package var tags: [String] = []
  /// How often each pair of scenario and subject is tried.
  package var repeats = 1
  /// The seed of every trial; `nil` leaves each scenario its own.
  package var seed: UInt64?
  /// How many trials run at a time; `nil` leaves it to the machine.
  package var jobs: Int?
  /// The time limit of every trial in seconds; `nil` leaves each scenario its own.
  package var timeLimit: Double?
  /// How many processors the children's pools are made for; `nil` leaves each scenario its own.
  package var poolWidth: Int?
  /// Whether sections at places that nearly met are held open now and then.
  package var delays = true
  /// Where pairs of such places are kept from trial to trial and from run to run; `nil` is nowhere.
  package var trapFile: String?
  /// Whether children look for what does not go wrong and can; `nil` leaves it to what each
  /// scenario expects.
  package var predict: Bool?
  /// What is red beside a verdict that is not expected.
  package var failsOn: Set<FailOn> = []
  /// Whether a resource that one owner alone touched makes the run red.
  package var requiresContention = false
  /// Where the results are written, by the name of the format; `-` is standard output.
  package var reportFiles: [String: String] = [:]
  /// Whether all evidence is shown.
  package var isVerbose = false
  /// When colours are written.
  package var color = Color.auto
  /// Where the scenarios are; `nil` is the executable's own folder.
  package var scenarioFolder: String?

  /// What is asked for instead of the command.
  package var question: Question?

  /// What a replay of a trial repeats, in the order in which it was given, each option once.
  package var repeated: [RepeatedOption] = []

  /// What `compare` alone has.
  package var compare = CompareOptions()

  /// The defaults.
  package init() {}

  /// Whether a predicted finding that no scenario expects is red.
  package var failsOnPotential: Bool { failsOn.contains(.potential) }
  /// Whether a trial that is skipped is red.
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
  /// Say what there is.
  case list
  /// Say which known bugs there are.
  case recipes
  /// Find the smallest pool.
  case pool
  /// Measure strategies against each other.
  case compare
  /// Measure.
  case bench
  /// Explain.
  case help

  /// What the command does, in one line.
  package var summary: String {
    switch self {
    case .run: "Replay scenarios on subjects, and compare the verdicts with the expected ones."
    case .list: "List subjects, scenarios, strategies and benches."
    case .recipes: "List the known bugs of real systems, with the verdicts that show them."
    case .pool: "Find the smallest thread pool with which a scenario completes on a subject."
    case .compare: "Measure lock strategies or caches against each other on the same work."
    case .bench: "Measure, and print the figures."
    case .help: "Explain a command."
    }
  }

  /// How the command is called.
  package var usage: String {
    switch self {
    case .run: "run [<options>] [<scenario> ...]"
    case .list: "list [<options>] [<text> ...]"
    case .recipes: "recipes [<options>]"
    case .pool: "pool [<options>] <scenario> --subject <name>"
    case .compare: "compare [<options>] [<scenario> ...]"
    case .bench: "bench [<bench> ...]"
    case .help: "help [<command>]"
    }
  }

  /// What its arguments are: a name, and what it means.
  package var argument: (name: String, help: String)? {
    switch self {
    case .run:
      (
        "scenario",
        "The scenarios to replay: by name, or by the path of a file or folder. (default: all in the"
          + " folder)"
      )
    case .list:
      ("text", "List only what has this text in its name or summary; of several, all of them.")
    case .recipes: nil
    case .pool: ("scenario", "The scenario to try, by name or by the path of its file.")
    case .compare:
      ("scenario", "Scenarios on whose workloads caches are compared. (default: a grid)")
    case .bench: ("bench", "What to measure, by name. (default: everything)")
    case .help: ("command", "The command to explain: run, list, recipes, pool, compare or bench.")
    }
  }
}
