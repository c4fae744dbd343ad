import StressRunner

/// Why a value does not suit an option: what was expected.
struct InvalidValue: Error {
  var expected: String
}

/// One option. The table of them is all that parser, help text and suggestions know.
package struct OptionSpec: Sendable {
  /// What an option does when it is found.
  enum Action: Sendable {
    /// Sets something.
    case set(@Sendable (inout Options) -> Void)
    /// Takes a value, and sets something by it.
    case setValue(placeholder: String, @Sendable (String, inout Options) throws -> Void)
    /// Explains the command instead.
    case help
    /// Says the version instead.
    case version
  }

  /// What an option is to a replay: the command that a report prints, which tries the same trial
  /// again.
  enum Replay: Sendable {
    /// It changes what a trial does, or how the run judges it: a replay repeats it as it was given.
    case repeats
    /// It chooses trials, which a replay names itself, or only changes what is written of them.
    case leavesOut
  }

  /// The long name, without its hyphens.
  package var name: String
  /// The short name, if any.
  package var short: Character?
  /// The commands that have it.
  package var commands: [CommandName]
  /// What a replay does with it. Has no default, so that every option decides.
  var replay: Replay
  /// What it means, a sentence or two.
  package var help: String
  var action: Action

  /// What stands for the value in help and messages; `nil` for an option without one.
  package var placeholder: String? {
    if case .setValue(let placeholder, _) = action { placeholder } else { nil }
  }

  /// `--seed <n>`
  var label: String { "--\(name)" + (placeholder.map { " <\($0)>" } ?? "") }
}

extension OptionSpec {
  /// Every option of every command, in the order of the help text. Of an option that is given twice
  /// the last one counts, except `--subject`, which adds up.
  package static let all: [OptionSpec] = compare + others

  /// The options that are not those of `compare` alone.
  private static let others: [OptionSpec] = [
    OptionSpec(
      name: "subject", commands: [.run], replay: .leavesOut,
      help: "Try this subject; may be given several times. (default: all)",
      action: .setValue(placeholder: "name") { $1.subjects.append($0) }),
    OptionSpec(
      name: "subject", commands: [.pool], replay: .leavesOut,
      help: "Required: the one subject to try.",
      action: .setValue(placeholder: "name") { $1.subjects.append($0) }),
    OptionSpec(
      name: "family", commands: [.run], replay: .leavesOut,
      help: "Try the subjects of this family only; may be given several times. (default: all)",
      action: .setValue(placeholder: "name") { $1.families.append($0) }),
    OptionSpec(
      name: "family", commands: [.list], replay: .leavesOut,
      help: "List the subjects of this family, and the scenarios that try one of them; may be given"
        + " several times. (default: all)",
      action: .setValue(placeholder: "name") { $1.families.append($0) }),
    OptionSpec(
      name: "tag", commands: [.list], replay: .leavesOut,
      help: "List the scenarios with this tag, and the subjects that they try; of several, with all"
        + " of them. A scenario's tags are its driver (threads, tasks, dispatch-queue) or 'script',"
        + " its folder if that lies within the folder of scenarios (hangs), and what it expects of a"
        + " subject: the verdict, its cause, and potential findings (deadlock, cycle, lock-order).",
      action: .setValue(placeholder: "tag") { $1.tags.append($0) }),
    OptionSpec(
      name: "repeat", commands: [.run], replay: .leavesOut,
      help: "Try every pair of scenario and subject N times, 1 to 10000. A pair is unmet if one of"
        + " its trials is. (default: 1)",
      action: .setValue(placeholder: "n") { $1.repeats = try whole($0, in: 1...10_000) }),
    OptionSpec(
      name: "seed", commands: [.run, .pool], replay: .leavesOut,
      help: "What operations and keys follow from. (default: each scenario's own)",
      action: .setValue(placeholder: "n") { $1.seed = try seed($0) }),
    OptionSpec(
      name: "jobs", short: "j", commands: [.run], replay: .leavesOut,
      help: "How many trials to run at a time, 1 to 256. (default: one for each processor, at most"
        + " 4)",
      action: .setValue(placeholder: "n") { $1.jobs = try whole($0, in: 1...256) }),
    OptionSpec(
      name: "time-limit", commands: [.run, .pool], replay: .repeats,
      help: "Stop each trial after this long, 0.1 to 3600. (default: each scenario's own)",
      action: .setValue(placeholder: "seconds") { $1.timeLimit = try seconds($0) }),
    OptionSpec(
      name: "pool-width", commands: [.run], replay: .repeats,
      help:
        "How many processors each child sees, 1 to 1024: its thread pools are then those of"
        + " another machine. (default: each scenario's own, or this machine's)",
      action: .setValue(placeholder: "n") {
        $1.poolWidth = try whole($0, in: Limits.poolWidthRange)
      }),
    OptionSpec(
      name: "delays", commands: [.run], replay: .repeats,
      help: "Hold sections that nearly met open for a while now and then, so that they can meet; by"
        + " the trial's seed. (values: on, off; default: on)",
      action: .setValue(placeholder: "switch") { $1.delays = try onOrOff($0) }),
    OptionSpec(
      name: "traps", commands: [.run], replay: .repeats,
      help:
        "Keep the places that nearly met in this file, for the next trials and runs of this build.",
      action: .setValue(placeholder: "file") { $1.trapFile = try filePath($0) }),
    OptionSpec(
      name: "predict", commands: [.run], replay: .repeats,
      help:
        "Predict what did not go wrong and can: locks taken in several orders, tasks that block"
        + " their pool. (values: on, off; default: on where the scenario says what is expected)",
      action: .setValue(placeholder: "switch") { $1.predict = try onOrOff($0) }),
    OptionSpec(
      name: "fail-on", commands: [.run], replay: .repeats,
      help: "Fail for this too: for predicted findings, unless the scenario"
        + " expects them; for trials that are skipped. May be given twice. (values: potential,"
        + " skipped)",
      action: .setValue(placeholder: "what") { try failOn($0, &$1) }),
    OptionSpec(
      name: "require-contention", commands: [.run], replay: .repeats,
      help: "Fail if only one owner touched a marked resource: then the run did not test whether it"
        + " is protected.",
      action: .set { $0.requiresContention = true }),
    OptionSpec(
      name: "json", commands: [.run], replay: .leavesOut,
      help: "Write the results to this file too, as they arrive; '-' is standard output, and the"
        + " text then goes to standard error.",
      action: .setValue(placeholder: "file") { $1.jsonFile = try path($0) }),
    OptionSpec(
      name: "html", commands: [.run], replay: .leavesOut,
      help:
        "Write the results to this file as a page when the run is over: with the wait-for graph of"
        + " each hang.",
      action: .setValue(placeholder: "file") { $1.htmlFile = try filePath($0) }),
    OptionSpec(
      name: "verbose", short: "v", commands: [.run], replay: .leavesOut,
      help: "Show the evidence of expected failures too, and all of it.",
      action: .set { $0.isVerbose = true }),
    OptionSpec(
      name: "color", commands: [.run, .compare], replay: .leavesOut,
      help: "When to write colours; NO_COLOR and TERM=dumb are heeded unless this is given."
        + " (values: auto, always, never; default: auto)",
      action: .setValue(placeholder: "when") { $1.color = try color($0) }),
    OptionSpec(
      name: "scenarios", commands: [.run, .list, .recipes, .pool, .compare], replay: .repeats,
      help: "Read the scenarios of this folder. (default: StressScenarios, here or above)",
      action: .setValue(placeholder: "folder") { $1.scenarioFolder = try path($0) }),
    OptionSpec(
      name: "version", commands: CommandName.allCases, replay: .leavesOut,
      help: "Show the version.",
      action: .version),
    OptionSpec(
      name: "help", short: "h", commands: CommandName.allCases, replay: .leavesOut,
      help: "Show help information.", action: .help),
  ]

  /// The options of a command.
  package static func options(of command: CommandName) -> [OptionSpec] {
    all.filter { $0.commands.contains(command) }
  }

  static func whole(_ text: String, in range: ClosedRange<Int>) throws -> Int {
    guard let value = Int(text), range.contains(value) else {
      throw InvalidValue(
        expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  static func seed(_ text: String) throws -> UInt64 {
    guard let value = UInt64(text) else {
      throw InvalidValue(expected: "a whole number from 0 to \(UInt64.max)")
    }
    return value
  }

  private static func seconds(_ text: String) throws -> Double {
    guard let value = Double(text), Limits.timeRange.contains(value) else {
      throw InvalidValue(expected: "a number of seconds from 0.1 to 3600")
    }
    return value
  }

  private static func color(_ text: String) throws -> Options.Color {
    guard let value = Options.Color(rawValue: text) else {
      throw InvalidValue(expected: "one of auto, always, never")
    }
    return value
  }

  private static func failOn(_ text: String, _ options: inout Options) throws {
    switch text {
    case "potential": options.failsOnPotential = true
    case "skipped": options.failsOnSkipped = true
    default: throw InvalidValue(expected: "one of potential, skipped")
    }
  }

  private static func onOrOff(_ text: String) throws -> Bool {
    switch text {
    case "on": true
    case "off": false
    default: throw InvalidValue(expected: "one of on, off")
    }
  }

  /// A page is written when the run is over, and all at once: standard output is the text's.
  static func filePath(_ text: String) throws -> String {
    if text == "-" { throw InvalidValue(expected: "the path of a file") }
    return try path(text)
  }

  static func path(_ text: String) throws -> String {
    if text.isEmpty { throw InvalidValue(expected: "a path") }
    return text
  }
}
