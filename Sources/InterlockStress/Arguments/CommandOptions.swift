package import Interlock
import Reports
import StressRunner

extension CommandName {
  /// All options with their commands, in the order of the help text. If an option occurs several
  /// times, the last occurrence counts, except for options that add up.
  package static let options: [Row] =
    gateOptions + compareOptions.map { ([.compare], $0) } + comparisonOptions + exploreOptions
    + huntOptions + trialOptions
    + initOptions + reportOptions + otherOptions

  /// An option with the commands that accept it.
  package typealias Row = (commands: [CommandName], option: Option<Options>)

  private static let gateOptions: [Row] = [
    (
      [.gate],
      Option(
        "package", .path("folder"), replay: .leavesOut,
        "The package whose executable is built.", default: "the current folder"
      ) { $1.gate.package = $0 }
    ),
    (
      [.gate],
      Option(
        "product", .text("name"), replay: .leavesOut,
        "Build this executable and run it. What follows '--' is for it alone.",
        default: "this one, as it is"
      ) { $1.gate.product = $0 }
    ),
    (
      [.gate],
      Option(
        "check", .path("file"), replay: .leavesOut,
        "Run nothing, and check that this results file is whole: a result for each planned trial,"
          + " none unmet."
      ) { $1.gate.checked = $0 }
    ),
  ]

  /// The options of `gate` that are not passed on to the executable that it starts.
  static let gateOwn: Set = ["package", "product", "check", "json", "help", "version"]

  private static let trialOptions: [Row] = [
    (
      [.run, .explore],
      Option(
        "subject", .text("name"), replay: .leavesOut,
        "Try this subject; may be given several times.", default: "all"
      ) { $1.subjects.append($0) }
    ),
    (
      [.deadlocks],
      Option(
        "subject", .text("name"), replay: .leavesOut,
        "Try this subject; may be given several times.", default: "the executable's caches"
      ) { $1.subjects.append($0) }
    ),
    (
      [.deadlocks],
      Option(
        "pool-width", .whole(Limits.poolWidthRange), \.poolWidth,
        "Try a pool of this many threads only, {values}.",
        default: "2, 64, 255 and this machine's")
    ),
    (
      [.pool],
      Option(
        "subject", .text("name"), replay: .leavesOut, "Required: the one subject to try."
      ) { $1.subjects.append($0) }
    ),
    (
      [.run, .explore],
      Option(
        "family", .text("name"), replay: .leavesOut,
        "Try the subjects of this family only; may be given several times.", default: "all"
      ) { $1.families.append($0) }
    ),
    (
      [.list],
      Option(
        "family", .text("name"), replay: .leavesOut,
        "List the subjects of this family, and the scenarios that try one of them; may be given"
          + " several times.",
        default: "all"
      ) { $1.families.append($0) }
    ),
    (
      [.list],
      Option(
        "tag", .text("tag"), replay: .leavesOut,
        "List the scenarios with this tag, and the subjects that they try; may be given several"
          + " times, for scenarios with all of the tags. A scenario's tags are its driver"
          + " (threads, tasks, dispatch-queue) or 'script', its folder (hangs), and the verdicts,"
          + " causes and potential findings that it expects (deadlock, cycle, lock-order)."
      ) { $1.tags.append($0) }
    ),
    (
      [.run],
      Option(
        "repeat", .whole(1...10_000), \.repeats, replay: .leavesOut,
        "Try every pair of scenario and subject N times, {values}. A pair is unmet if one of its"
          + " trials is.")
    ),
    (
      [.run, .pool],
      Option(
        "seed", .whole(0...UInt64.max), \.seed, replay: .leavesOut,
        "The seed of operations and keys.", default: "each scenario's own")
    ),
    (
      [.explore],
      Option(
        "seed", .whole(0...UInt64.max), \.seed, replay: .leavesOut,
        "The seed of operations and keys, and of the strategy's random choices.",
        default: "each scenario's own")
    ),
    (
      [.run],
      Option(
        "jobs", short: "j", .whole(1...256), \.jobs, replay: .leavesOut,
        "How many trials to run at a time, {values}. With more than one, a trial that only waits"
          + " does not count.",
        default: "one for each processor, at most 4")
    ),
    (
      [.explore],
      Option(
        "jobs", short: "j", .whole(1...256), \.jobs, replay: .leavesOut,
        "How many processes to run at a time, {values}: one for each pair of scenario and subject;"
          + " if there are fewer pairs, the orders of each are divided among several.",
        default: "one for each processor, at most 4, and for each pair one")
    ),
    (
      [.run, .pool],
      Option(
        "time-limit", .seconds(Limits.timeRange), \.timeLimit,
        "Stop each trial after this long, {values}.", default: "each scenario's own")
    ),
    (
      [.run],
      Option(
        "pool-width", .whole(Limits.poolWidthRange), \.poolWidth,
        "How many processors each child sees, {values}: its thread pools are then those of"
          + " another machine.",
        default: "each scenario's own, or this machine's")
    ),
    (
      [.run],
      Option(
        "delays", .onOrOff, \.delays,
        "Sometimes hold sections open that nearly overlapped, so that they overlap; by the"
          + " trial's seed.")
    ),
    (
      [.run],
      Option(
        "traps", .file, \.trapFile,
        "Keep the pairs of places that nearly overlapped in this file, for the next trials and runs"
          + " of this build."
      )
    ),
    (
      [.run],
      Option(
        "predict", .onOrOff, \.predict,
        "Predict faults that did not occur in this run: locks taken in several orders, tasks that"
          + " block their pool.",
        default: "on if the scenario says what is expected")
    ),
    (
      [.run, .explore],
      Option(
        "memory", .onOrOff, \.memory,
        "Look for races in memory, in code that is compiled for it.",
        default: "on for such code, off for other")
    ),
    (
      [.run, .merge],
      Option(
        "fail-on", .choice(Options.FailOn.allCases, placeholder: "what"), replay: .repeatsEach,
        "Fail for this too: for predicted findings, unless the scenario expects them; for trials"
          + " that are skipped; for stale entries of the baseline. May be given several times."
      ) { $1.failsOn.insert($0) }
    ),
    (
      [.explore],
      Option(
        "fail-on", .choice([Options.FailOn.skipped, .stale], placeholder: "what"),
        replay: .leavesOut,
        "Fail for this too: for trials that are skipped; for stale entries of the baseline. May be"
          + " given twice."
      ) { $1.failsOn.insert($0) }
    ),
    (
      [.run],
      Option(
        "shard", .shard, replay: .leavesOut,
        "Run this part of the trials only, as in 2/4: the pairs of scenario and subject are spread"
          + " by a hash of their names.",
        default: "all"
      ) { $1.shard = $0 }
    ),
    (
      [.explore],
      Option(
        "shard", .shard, replay: .leavesOut,
        "Explore this part of the orders of each pair only, as in 2/4: 'merge' makes one answer of"
          + " all parts.",
        default: "all"
      ) { $1.shard = $0 }
    ),
    (
      [.run, .explore],
      Option(
        "record", .file, \.record, replay: .leavesOut,
        "Record each judged trial in this file at once, for 'merge' and '--resume'.")
    ),
    (
      [.run, .explore],
      Option(
        "resume", .file, \.resumed, replay: .leavesOut,
        "Continue the run of this record: run only the trials that it lacks.")
    ),
    (
      [.run, .explore, .merge],
      Option(
        "baseline", .file, \.baseline,
        "Show the findings that this file knows, and do not fail for them; they are keyed by kind,"
          + " resource and functions.",
        default: "none")
    ),
    (
      [.run, .explore, .merge],
      Option(
        flag: "update-baseline", replay: .leavesOut,
        "Write the findings of this run into the baseline, and do not fail for them; what the run"
          + " could have shown again and did not is removed."
      ) { $0.updatesBaseline = true }
    ),
    (
      [.run],
      Option(
        flag: "require-contention",
        "Fail if only one owner touched a marked resource: then the run did not test whether it"
          + " is protected."
      ) { $0.requiresContention = true }
    ),
  ]

  /// An option for each report format except the terminal's. It takes a file name if the format is
  /// written to a file.
  private static let reportOptions: [Row] = ReportFormat.all.compactMap { format in
    let option: Option<Options>
    switch format.destination {
    case .terminal, .environmentFile: return nil
    case .output:
      let name = format.name
      option = Option(flag: name, replay: .leavesOut, format.summary) {
        $0.outputFormats.insert(name)
      }
    case .growingFile: option = file(format.name, format.summary, mayUseOutput: true)
    case .finishedFile: option = file(format.name, format.summary, mayUseOutput: false)
    }
    return ([.run, .explore, .merge], option)
  }

  /// An option with a file name for each comparison format that is written to a file.
  private static let comparisonOptions: [Row] = ComparisonFormat.all.compactMap { format in
    guard format.destination != .terminal else { return nil }
    return ([.compare], file(format.name, format.summary, mayUseOutput: format.mayUseOutput))
  }

  /// An option that names the file of a format; `-` is standard output if the format allows it.
  private static func file(
    _ name: String, _ summary: String, mayUseOutput: Bool
  ) -> Option<Options> {
    Option(name, mayUseOutput ? .path("file") : .file, replay: .leavesOut, summary) {
      $1.reportFiles[name] = $0
    }
  }

  private static let otherOptions: [Row] = [
    (
      [.run, .explore, .merge],
      Option(
        flag: "verbose", short: "v", replay: .leavesOut,
        "Show the evidence of expected failures too, and all of it."
      ) { $0.isVerbose = true }
    ),
    (
      [.run, .deadlocks, .explore, .compare, .merge],
      Option(
        "color", .choice(Options.Color.allCases, placeholder: "when"), \.color,
        replay: .leavesOut,
        "When to write colours; NO_COLOR and TERM=dumb are obeyed unless this is given.")
    ),
    (
      [.run, .deadlocks, .explore, .list, .recipes, .pool, .compare, .doctor],
      Option(
        "scenarios", .path("folder"), \.scenarioFolder,
        "Read the scenarios of this folder.", default: "StressScenarios, here or above")
    ),
    (
      CommandName.allCases,
      Option(flag: "version", replay: .leavesOut, "Show the version.") { $0.question = .version }
    ),
    (
      CommandName.allCases,
      Option(flag: "help", short: "h", replay: .leavesOut, "Show help information.") {
        $0.question = .help
      }
    ),
  ]

  /// The options of the command.
  ///
  /// `gate` has its own options and those of `run`.
  package var options: [Option<Options>] {
    Self.options.filter { row in
      row.commands.contains(self) || self == .gate && row.commands.contains(.run)
    }.map(\.option)
  }
}

extension ValueFormat<Shard> {
  /// A part of several, such as `2/4`.
  fileprivate static var shard: ValueFormat {
    ValueFormat("i/n", expected: "a part of at most 10000, as in 2/4", read: Shard.read)
  }
}

extension Option {
  /// `--seed <n>`
  package var label: String { "--\(name)" + (placeholder.map { " <\($0)>" } ?? "") }
}
