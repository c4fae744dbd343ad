import Findings
import StressRunner

/// The trials of a run.
struct RunPlan {
  /// All trials, scenario by scenario.
  var trials: [Trial] = []

  /// A one-line warning about a hang that this run cannot detect; `nil` if there is none.
  ///
  /// A trial that is stopped before the end of its stall window never counts as stalled.
  var warning: String? {
    let blind = trials.map(\.scenario).filter { $0.limits.timeSeconds <= $0.limits.stallSeconds }
    guard let first = blind.first else { return nil }
    let others = Set(blind.map(\.name)).count - 1
    return "no deadlock can be judged in '\(first.name)'"
      + (others > 0 ? " and \(others) more scenario\(others == 1 ? "" : "s")" : "")
      + ": the time limit of \(first.limits.timeSeconds) s must be above the stall window of"
      + " \(first.limits.stallSeconds) s"
  }

  /// Selects the subjects by name, and applies the options' overrides.
  ///
  /// - Throws: An error for an unknown name, with the nearest known one.
  init(
    _ scenarios: [Scenario], options: Options, subjects: [SubjectEntry], currentFolder: String
  ) throws(UsageError) {
    if options.failsOnPotential, options.predict == false {
      throw UsageError("The option '--fail-on potential' does nothing with '--predict off'", .run)
    }
    if options.trapFile != nil, !options.delays {
      throw UsageError("The option '--traps <file>' does nothing with '--delays off'", .run)
    }
    // Make the path absolute: a subject may change its current folder.
    let trapFile = options.trapFile.map { $0.hasPrefix("/") ? $0 : "\(currentFolder)/\($0)" }
    try Self.checkSubjects(options, subjects, .run)
    for scenario in scenarios {
      var scenario = scenario
      if let timeLimit = options.timeLimit { scenario.limits.timeSeconds = timeLimit }
      if let width = options.poolWidth { scenario.poolWidth = width }
      for subject in subjects where Self.isWanted(subject, in: scenario, options) {
        var trial = Trial(
          scenario: scenario, subject: subject.name, seed: options.seed ?? scenario.workload.seed)
        trial.delays = options.delays ? TrialDelays(trapFile: trapFile) : nil
        trial.predicts =
          options.predict
          ?? (options.failsOnPotential
            || scenario.expectation(for: subject.name).potential != nil)
        trials += Array(repeating: trial, count: options.repeats)
      }
    }
    if trials.isEmpty {
      throw .nothingSelected("None of these scenarios is for the requested subjects", .run)
    }
  }

  /// Checks that the executable lists subjects, each of them once, and has every requested one.
  static func checkSubjects(
    _ options: Options, _ subjects: [SubjectEntry], _ command: CommandName
  ) throws(UsageError) {
    let shippedCaches = ["tmcache", "tmmemory", "tmdisk", "pin", "yy", "tusker"]
    let names = subjects.map(\.name)
    if names.isEmpty {
      throw UsageError("There is nothing to try: this executable lists no subject", command)
    }
    var seen: Set<String> = []
    for name in names where !seen.insert(name).inserted {
      throw UsageError("This executable lists two subjects by the name '\(name)'", command)
    }
    for name in options.subjects where !names.contains(name) {
      let isShipped = shippedCaches.contains { name.lowercased().hasPrefix($0) }
      let others =
        isShipped || SubjectEntry.namesInTool.isSubset(of: names)
        ? " (models of shipped caches: 'swift run known-bugs' in Interlock's"
          + " StressScenarios/KnownBugs)" : ""
      throw UsageError(
        "There is no subject '\(printable(name))'\(others)",
        Suggestion(for: name, among: names, shownBy: "interlock list"), command)
    }
    try checkFamilies(options, subjects, command)
  }

  /// True if a scenario is tried on a subject: the scenario lists the subject, or it lists no
  /// subjects and the subject runs unlisted or is requested by name. Options may exclude the
  /// subject.
  static func isWanted(
    _ subject: SubjectEntry, in scenario: Scenario, _ options: Options
  ) -> Bool {
    let isAskedFor = options.subjects.contains(subject.name)
    let runsUnlisted = subject.runsUnlisted && (subject.isMemoryCache || !scenario.isForCaches)
    guard scenario.subjects?.contains(subject.name) ?? (runsUnlisted || isAskedFor) else {
      return false
    }
    return (options.subjects.isEmpty || isAskedFor)
      && (options.families.isEmpty || subject.family.map(options.families.contains) == true)
  }

  /// Checks that every requested family has a subject.
  static func checkFamilies(
    _ options: Options, _ subjects: [SubjectEntry], _ command: CommandName
  ) throws(UsageError) {
    let families = Set(subjects.compactMap(\.family)).sorted()
    for name in options.families where !families.contains(name) {
      throw UsageError(
        "There is no family '\(printable(name))'", Suggestion(for: name, among: families), command)
    }
  }
}

extension TrialResult {
  /// The result of a trial that needs section tracking, in a build without it.
  static func skippedForSections(_ trial: Trial) -> TrialResult {
    skipped(trial, because: "needs section tracking (a debug build, or --traits SectionTracking)")
  }

  /// The result of a trial that needs something that this machine lacks.
  static func skipped(_ trial: Trial, because reason: String) -> TrialResult {
    TrialResult(
      trial: trial,
      observation: Observation(
        ending: .notRun(reason: reason), operations: trial.scenario.workload.operationCount),
      verdict: .skipped(reason: reason))
  }
}
