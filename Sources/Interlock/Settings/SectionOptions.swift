internal import SectionTable

/// The options that sections use, if they are compiled in.
struct SectionOptions: EnvironmentOptions, Equatable {
  /// The action on a conflict.
  enum OnConflict: String, CaseIterable {
    case trap, log, record
  }

  var onConflict = OnConflict.trap
  var stackDepth = Record.frameLimit
  var sections = true
  var delays = false
  var delaySeed: UInt64?
  /// The most time that delays may take, in per cent of the run time.
  var delayBudget = DelaySettings.defaultBudget
  var trapFile: String?
  /// `nil` takes the value of `requiresContention`.
  var coverage: Bool?
  var requiresContention = false

  static let options: [Option<Self>] = [
    Option(
      "on_conflict", .choice(OnConflict.allCases, placeholder: "action"), \.onConflict,
      "What happens on a conflict: `trap` reports it and traps, as an assertion does; `log` reports"
        + " each pair of places once and continues; `record` keeps the conflicts for"
        + " `SectionTracking.conflicts`. After `log` and `record` the process exits with"
        + " `exit_code` and prints a line for each conflict, if the damage to its memory lets it"
        + " get that far."),
    Option(
      "stack_depth", .whole(0...Record.frameLimit), \.stackDepth,
      "How many frames are captured at begin, {values}."),
    Option("sections", .onOrOff, \.sections, "Track sections."),
    Option(
      "delays", .onOrOff, \.delays,
      "Sometimes hold a section open if it nearly overlapped another."),
    Option(
      "delay_seed", .whole(0...UInt64.max), \.delaySeed,
      "The seed that decides the delays, 0 to 2⁶⁴ − 1.", default: "different in every process"),
    Option(
      "delay_budget", .whole(1...100), \.delayBudget,
      "The part of the run time that delays may take, {values} per cent."),
    Option(
      "traps", .file, \.trapFile,
      "The path of a file, without blanks, that keeps what delays have learned.", default: "none"),
    Option(
      "coverage", .onOrOff, \.coverage, "Print the contention coverage when the process ends.",
      default: "off"),
    Option(
      "require_contention", .onOrOff, \.requiresContention,
      "As `coverage=on`, and the exit code is 1 if a resource was used by one owner only, or no"
        + " section was begun; the exit code of a conflict has precedence."),
  ]

  static var unheededBecause: String? {
    SectionTracking.isCompiledIn
      ? nil : "section tracking is not compiled in (a debug build, or --traits SectionTracking)"
  }

  mutating func resolveContradictions() -> [String] {
    var errors: [String] = []
    if trapFile != nil, !delays { errors.append("'traps' does nothing without 'delays=on'") }
    if !sections {
      let needSections = [
        delays ? "delays" : nil, coverage == true ? "coverage" : nil,
        requiresContention ? "require_contention" : nil,
      ]
      errors += needSections.compactMap(\.self).map { "'\($0)' does nothing with 'sections=off'" }
    }
    if requiresContention, coverage == false {
      errors.append(
        "'require_contention' needs coverage, so 'coverage=off' is ignored")
      coverage = true
    }
    return errors
  }
}

/// The options that every product uses.
package struct CommonOptions: EnvironmentOptions, Equatable {
  var exitCode = 66
  var isQuiet = false

  /// Creates the default values.
  package init() {}

  /// The declared options.
  package static let options: [Option<Self>] = [
    Option(
      "exit_code", .whole(1...255), \.exitCode,
      "What the process exits with after conflicts, or after what `fail_on` names, {values}."),
    Option(
      "quiet", .onOrOff, \.isQuiet,
      "Do not print that the watchdog or prediction is armed."),
  ]
}
