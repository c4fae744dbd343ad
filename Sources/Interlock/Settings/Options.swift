/// What `INTERLOCK_OPTIONS` may say: `name=value`, separated by blanks.
struct Options: Equatable {
  /// What happens on a conflict.
  enum OnConflict: String, CaseIterable {
    case trap, log, record
  }

  var onConflict: OnConflict?
  var exitCode: Int?
  var stackDepth: Int?
  var delays: Bool?
  var delaySeed: UInt64?
  /// In per cent of the run time.
  var delayBudget: Int?
  var trapFile: String?
  var exercise: Bool?
  var requiresContention: Bool?
  var isOff: Bool?
  /// What the watchdog keeps, where one is linked: seconds.
  var hangLimit: Double?

  /// Whether what does not go wrong and can is looked for, where a watchdog is linked; whether it is red; and from how
  /// many seconds on a lock that is held is told of.
  var predicts: Bool?
  var failsOnPotential: Bool?
  var holdLimit: Double?

  /// The options there are, in the order in which they are listed.
  static let names = [
    "on_conflict", "exit_code", "stack_depth", "sections", "delays", "delay_seed", "delay_budget",
    "traps", "exercise", "require_contention", "hang_limit", "predict", "fail_on", "hold_limit",
  ]

  /// Reads the variable's value. What cannot be read is left at its default, with a line that says so.
  static func parse(_ text: String) -> (options: Options, errors: [String]) {
    var options = Options()
    var errors: [String] = []
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\n" }) {
      if let error = options.read(String(word)) {
        errors.append("interlock: INTERLOCK_OPTIONS: \(error)")
      }
    }
    if options.trapFile != nil, options.delays != true {
      errors.append("interlock: INTERLOCK_OPTIONS: 'traps' does nothing without 'delays=on'")
    }
    if options.predicts != true {
      for name in [
        options.failsOnPotential.map { _ in "fail_on" },
        options.holdLimit.map { _ in "hold_limit" },
      ].compactMap({ $0 }) {
        errors.append("interlock: INTERLOCK_OPTIONS: '\(name)' does nothing without 'predict=on'")
      }
    }
    if options.requiresContention == true, options.exercise == false {
      errors.append(
        "interlock: INTERLOCK_OPTIONS: 'require_contention' needs to know what is exercised,"
          + " so 'exercise=off' is not heeded")
      options.exercise = true
    }
    return (options, errors)
  }

  private mutating func read(_ word: String) -> String? {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard Self.names.contains(name) else {
      return "unknown option '\(name)'; the options are \(Self.names.joined(separator: ", "))"
    }
    guard parts.count == 2 else { return "option '\(name)' needs a value, as in '\(name)=…'" }
    let value = String(parts[1])
    switch name {
    case "on_conflict":
      onConflict = OnConflict(rawValue: value)
      let known = OnConflict.allCases.map(\.rawValue).joined(separator: ", ")
      return onConflict == nil ? "'on_conflict' must be one of \(known), found '\(value)'" : nil
    case "exit_code":
      exitCode = Self.number(value, in: 1...255)
      return exitCode == nil ? Self.mustBe(name, in: 1...255, found: value) : nil
    case "stack_depth":
      stackDepth = Self.number(value, in: 0...Record.frameLimit)
      return stackDepth == nil ? Self.mustBe(name, in: 0...Record.frameLimit, found: value) : nil
    case "sections":
      isOff = Self.isOn(value).map { !$0 }
      return isOff == nil ? "'sections' must be on or off, found '\(value)'" : nil
    case "hang_limit":
      hangLimit = Double(value).flatMap { (0.1...86_400).contains($0) ? $0 : nil }
      return hangLimit == nil
        ? "'hang_limit' must be a number of seconds from 0.1 to 86400, found '\(value)'" : nil
    case "hold_limit":
      holdLimit = Double(value).flatMap { (0.001...86_400).contains($0) ? $0 : nil }
      return holdLimit == nil
        ? "'hold_limit' must be a number of seconds from 0.001 to 86400, found '\(value)'" : nil
    case "predict":
      predicts = Self.isOn(value)
      return predicts == nil ? "'predict' must be on or off, found '\(value)'" : nil
    case "fail_on":
      failsOnPotential = value == "potential" ? true : nil
      return failsOnPotential == nil ? "'fail_on' must be potential, found '\(value)'" : nil
    case "delays":
      delays = Self.isOn(value)
      return delays == nil ? "'delays' must be on or off, found '\(value)'" : nil
    case "exercise":
      exercise = Self.isOn(value)
      return exercise == nil ? "'exercise' must be on or off, found '\(value)'" : nil
    case "require_contention":
      requiresContention = Self.isOn(value)
      return requiresContention == nil
        ? "'require_contention' must be on or off, found '\(value)'" : nil
    case "delay_seed":
      delaySeed = UInt64(value)
      return delaySeed == nil
        ? "'delay_seed' must be a whole number from 0 to \(UInt64.max), found '\(value)'" : nil
    case "delay_budget":
      delayBudget = Self.number(value, in: 1...100)
      return delayBudget == nil ? Self.mustBe(name, in: 1...100, found: value) : nil
    default:
      trapFile = value.isEmpty ? nil : value
      return value.isEmpty ? "'traps' must be the path of a file, found nothing" : nil
    }
  }

  private static func isOn(_ value: String) -> Bool? {
    value == "on" ? true : value == "off" ? false : nil
  }

  private static func number(_ value: String, in range: ClosedRange<Int>) -> Int? {
    Int(value).flatMap { range.contains($0) ? $0 : nil }
  }

  private static func mustBe(_ name: String, in range: ClosedRange<Int>, found: String) -> String {
    "'\(name)' must be a whole number from \(range.lowerBound) to \(range.upperBound),"
      + " found '\(found)'"
  }
}
