/// What `INTERLOCK_OPTIONS` says: `name=value`, separated by blanks. `Option.all` declares each.
struct Options: Equatable {
  /// What happens on a conflict.
  enum OnConflict: String, CaseIterable {
    case trap, log, record
  }

  /// What beside a conflict makes the exit code red.
  enum FailOn: String, CaseIterable {
    case potential
  }

  var onConflict: OnConflict?
  var exitCode: Int?
  var stackDepth: Int?
  var sections: Bool?
  var delays: Bool?
  var delaySeed: UInt64?
  /// In per cent of the run time.
  var delayBudget: Int?
  var trapFile: String?
  var exercise: Bool?
  var requiresContention: Bool?
  /// The limit of the watchdog, in seconds.
  var hangLimit: Double?
  /// Whether the watchdog predicts deadlocks and races that did not occur in this run.
  var predicts: Bool?
  var failOn: FailOn?
  /// From how many seconds on a held lock is reported.
  var holdLimit: Double?
  /// Whether no line says what is armed.
  var quiet: Bool?

  /// Reads the variable's value.
  ///
  /// - Parameters:
  ///   - text: The value.
  ///   - linked: What the process has to heed options.
  /// - Returns: The options, with what cannot be read at its default, and a line for each mistake.
  static func parse(
    _ text: String, linked: Option.Part = .everything
  ) -> (options: Options, errors: [String]) {
    var options = Options()
    var errors: [String] = []
    var unheeded: [String] = []
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\n" }) {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard let option = Option.all.first(where: { $0.name == name }) else {
        let names = Option.all.map(\.name).joined(separator: ", ")
        errors.append("unknown option '\(name)'; the options are \(names)")
        continue
      }
      guard parts.count == 2 else {
        errors.append("option '\(name)' needs a value, as in '\(name)=…'")
        continue
      }
      if let error = option.read(&options, String(parts[1])) { errors.append(error) }
      // An option that everything heeds needs nothing in particular.
      if option.part != .everything, linked.isDisjoint(with: option.part) {
        unheeded.append(name)
      }
    }
    errors += options.resolveContradictions()
    if !unheeded.isEmpty { errors.append(unheededText(unheeded, linked: linked)) }
    return (options, errors.map { "interlock: INTERLOCK_OPTIONS: \($0)" })
  }

  private mutating func resolveContradictions() -> [String] {
    var errors: [String] = []
    if trapFile != nil, delays != true {
      errors.append("'traps' does nothing without 'delays=on'")
    }
    let needPrediction = [failOn == nil ? nil : "fail_on", holdLimit == nil ? nil : "hold_limit"]
    if predicts != true {
      errors += needPrediction.compactMap(\.self).map {
        "'\($0)' does nothing without 'predict=on'"
      }
    }
    if requiresContention == true, sections == false {
      errors.append("'require_contention' does nothing with 'sections=off'")
    }
    if requiresContention == true, exercise == false {
      errors.append(
        "'require_contention' needs to know what is exercised, so 'exercise=off' is not heeded")
      exercise = true
    }
    return errors
  }

  /// One line for everything that nothing in the process heeds.
  private static func unheededText(_ names: [String], linked: Option.Part) -> String {
    let reasons = [
      (
        Option.Part.sections,
        "section tracking is not compiled in (a debug build, or --traits SectionTracking)"
      ),
      (Option.Part.watchdog, "the watchdog is not linked (product InterlockWatchdog)"),
    ]
    return reasons.compactMap { part, reason in
      let concerned = names.filter { name in
        Option.all.contains { $0.name == name && $0.part == part }
      }
      guard !concerned.isEmpty else { return nil }
      let list = concerned.map { "'\($0)'" }.joined(separator: ", ")
      return "\(list) \(concerned.count == 1 ? "does" : "do") nothing here: \(reason)"
    }.joined(separator: "; ")
  }
}
