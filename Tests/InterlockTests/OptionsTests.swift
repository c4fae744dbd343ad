import Foundation
import Testing

@testable import Interlock

/// Options that only these tests declare.
private struct TestOptions: EnvironmentOptions {
  var colour: String?
  var size = 1
  var isWide = false

  static let options: [Option<Self>] = [
    Option("colour", .text("name"), \.colour, "Which colour.", default: "none"),
    Option("size", .whole(1...9), \.size, "How large, {values}."),
    Option("wide", .onOrOff, \.isWide, "Make it wide."),
  ]
  static let unheededBecause: String? = "nothing is drawn"

  mutating func resolveContradictions() -> [String] {
    guard isWide, size == 9 else { return [] }
    isWide = false
    return ["'wide' does nothing with 'size=9'"]
  }
}

struct OptionsTests {
  private static let own: [any EnvironmentOptions.Type] = [
    SectionOptions.self, CommonOptions.self,
  ]

  @Test("every option of sections is read")
  func all() {
    let text =
      "on_conflict=log exit_code=7  stack_depth=4\tsections=on delays=on "
      + "delay_seed=9 delay_budget=20 traps=/tmp/traps coverage=on require_contention=on quiet=on"
    let variable = OptionVariable(text, declared: Self.own)
    #expect(variable.errors.isEmpty)
    #expect(
      variable[SectionOptions.self]
        == SectionOptions(
          onConflict: .log, stackDepth: 4, sections: true, delays: true, delaySeed: 9,
          delayBudget: 20, trapFile: "/tmp/traps", coverage: true, requiresContention: true))
    #expect(variable[CommonOptions.self].exitCode == 7)
    #expect(variable[CommonOptions.self].isQuiet)
    let read = Set(text.split { " \t".contains($0) }.map { String($0.prefix { $0 != "=" }) })
    let declared = SectionOptions.options.map(\.name) + CommonOptions.options.map(\.name)
    #expect(read == Set(declared), "an option is missing here")
    #expect(read.count == declared.count, "two options have one name")
  }

  @Test(
    "no option of sections takes an empty value", arguments: SectionOptions.options.map(\.name))
  func empty(name: String) {
    let variable = OptionVariable("\(name)=", declared: Self.own)
    #expect(variable[SectionOptions.self] == SectionOptions())
    #expect(
      variable.errors.first?.hasPrefix("interlock: INTERLOCK_OPTIONS: '\(name)' must be ") == true)
    #expect(variable.errors.first?.hasSuffix(", found nothing") == true)
  }

  @Test("an option's declaration alone determines how it is read, described and refused")
  func declared() {
    let variable = OptionVariable(
      "colour=red wide=on size=10 hue=7", declared: [TestOptions.self])
    #expect(variable[TestOptions.self].colour == "red")
    #expect(variable[TestOptions.self].isWide)
    #expect(variable[TestOptions.self].size == 1)
    #expect(
      variable.errors.map { $0.dropFirst("interlock: INTERLOCK_OPTIONS: ".count) } == [
        "'size' must be a whole number from 1 to 9, found '10'",
        "unknown option 'hue'; the options are colour, size, wide",
        "'colour', 'wide', 'size' do nothing here: nothing is drawn",
      ])
    #expect(
      TestOptions.options.map(\.help) == [
        "Which colour. (default: none)", "How large, 1 to 9. (default: 1)",
        "Make it wide. (values: on, off; default: off)",
      ])
    #expect(variable[SectionOptions.self] == SectionOptions())
    let contradictory = OptionVariable("wide=on size=9", declared: [TestOptions.self])
    #expect(contradictory.errors.first?.hasSuffix("'wide' does nothing with 'size=9'") == true)
    #expect(!contradictory[TestOptions.self].isWide)
  }

  @Test("options that no linked product obeys are reported in one line, and the others are set")
  func unheeded() {
    let text = "on_conflict=log hang_limit=2 exit_code=7 predict=on colour=red quiet=on"
    let variable = OptionVariable(text, declared: Self.own + [TestOptions.self])
    #expect(
      variable.errors == [
        "interlock: INTERLOCK_OPTIONS: 'hang_limit', 'predict' do nothing here: the watchdog is not"
          + " linked (product InterlockWatchdog); 'colour' does nothing here: nothing is drawn"
      ])
    #expect(variable[SectionOptions.self].onConflict == .log)
    #expect(variable[CommonOptions.self].exitCode == 7)
    #expect(variable[CommonOptions.self].isQuiet)
    #expect(SectionOptions.unheededBecause == nil, "the tests are a build with section tracking")
  }

  @Test(
    "an option of a product that is not linked is reported with its wrong value",
    arguments: [
      ("fail_on=potental", ["'fail_on' must be potential, found 'potental'"]),
      ("fail_on", []), ("fail_on=potential", []),
      ("hang_limit=0", ["'hang_limit' must be a number of seconds from 0.1 to 86400, found '0'"]),
      ("predict=yes", ["'predict' must be on or off, found 'yes'"]),
      ("report=sarif:file", []),
    ])
  func wrongElsewhere(word: String, messages: [String]) {
    let variable = OptionVariable(word, declared: Self.own)
    let name = word.prefix { $0 != "=" }
    let notLinked = """
      '\(name)' does nothing here: the watchdog is not linked (product InterlockWatchdog)
      """
    let expected = (messages + [notLinked]).map { "interlock: INTERLOCK_OPTIONS: \($0)" }
    #expect(variable.errors == expected)
  }

  @Test(
    "options that no blank separates are one line, and each that is not linked is named",
    arguments: [":", ",", ";"])
  func separators(sign: String) {
    let prefix = "interlock: INTERLOCK_OPTIONS: "
    let ofOthers = OptionVariable("hang_limit=5\(sign)predict=on", declared: Self.own)
    #expect(
      ofOthers.errors == [
        prefix + "options are separated by blanks, found 'hang_limit=5\(sign)predict=on'",
        prefix + "'hang_limit', 'predict' do nothing here: the watchdog is not linked"
          + " (product InterlockWatchdog)",
      ])
    let own = OptionVariable("traps=a\(sign)delays=on exit_code=7", declared: Self.own)
    #expect(
      own.errors == [prefix + "options are separated by blanks, found 'traps=a\(sign)delays=on'"])
    #expect(own[SectionOptions.self] == SectionOptions())
    #expect(own[CommonOptions.self].exitCode == 7)
    let file = OptionVariable("delays=on traps=/tmp/a\(sign)b=c", declared: Self.own)
    #expect(file.errors.isEmpty)
    #expect(file[SectionOptions.self].trapFile == "/tmp/a\(sign)b=c")
  }

  @Test("an empty INTERLOCK_OPTIONS changes nothing")
  func nothing() {
    #expect(OptionVariable("", declared: Self.own)[SectionOptions.self] == SectionOptions())
    #expect(OptionVariable("  ", declared: Self.own).errors.isEmpty)
  }

  @Test(
    "an option's invalid value is a line with what was found and what was expected",
    arguments: [
      (
        "colour=red",
        "unknown option 'colour'; the options are on_conflict, stack_depth, sections, delays, "
          + "delay_seed, delay_budget, traps, coverage, require_contention, exit_code, quiet"
      ),
      ("on_conflict=panic", "'on_conflict' must be one of trap, log, record, found 'panic'"),
      ("exit_code=0", "'exit_code' must be a whole number from 1 to 255, found '0'"),
      ("exit_code=x", "'exit_code' must be a whole number from 1 to 255, found 'x'"),
      ("stack_depth=17", "'stack_depth' must be a whole number from 0 to 16, found '17'"),
      ("stack_depth=-1", "'stack_depth' must be a whole number from 0 to 16, found '-1'"),
      ("sections=maybe", "'sections' must be on or off, found 'maybe'"),
      ("coverage=all", "'coverage' must be on or off, found 'all'"),
      ("require_contention=1", "'require_contention' must be on or off, found '1'"),
      (
        "require_contention=on coverage=off",
        "'require_contention' needs coverage, so 'coverage=off' is ignored"
      ),
      (
        "require_contention=on sections=off",
        "'require_contention' does nothing with 'sections=off'"
      ),
      ("coverage=on sections=off", "'coverage' does nothing with 'sections=off'"),
      ("sections=off delays=on", "'delays' does nothing with 'sections=off'"),
      ("delays=3", "'delays' must be on or off, found '3'"),
      (
        "delay_seed=-1",
        "'delay_seed' must be a whole number from 0 to 18446744073709551615, found '-1'"
      ),
      ("delay_budget=0", "'delay_budget' must be a whole number from 1 to 100, found '0'"),
      ("delay_budget=101", "'delay_budget' must be a whole number from 1 to 100, found '101'"),
      ("delays=on traps=", "'traps' must be the path of a file, found nothing"),
      ("traps=file", "'traps' does nothing without 'delays=on'"),
      ("delays=off traps=file", "'traps' does nothing without 'delays=on'"),
      ("exit_code", "option 'exit_code' needs a value, as in 'exit_code=…'"),
    ])
  func errors(text: String, message: String) {
    let variable = OptionVariable("on_conflict=record " + text, declared: Self.own)
    #expect(variable.errors == ["interlock: INTERLOCK_OPTIONS: " + message])
    if !text.hasPrefix("on_conflict") {
      #expect(variable[SectionOptions.self].onConflict == .record)
    }
  }

  @Test("an unknown option in the environment is reported on standard error, and the rest is set")
  func environment() async {
    let result = await #expect(
      processExitsWith: .exitCode(66), observing: [\.standardErrorContent]
    ) {
      setenv("INTERLOCK_OPTIONS", "colour=red on_conflict=record", 1)
      overlap("options.environment", times: 1)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("unknown option 'colour'"))
  }
}
