import Foundation
import Testing

@testable import Interlock

struct OptionsTests {
  @Test("every option is read")
  func all() {
    let text =
      "on_conflict=log exit_code=7  stack_depth=4\tsections=on delays=on "
      + "delay_seed=9 delay_budget=20 traps=/tmp/traps exercise=on require_contention=on "
      + "hang_limit=2 predict=on fail_on=potential hold_limit=0.5 quiet=on"
    let (options, errors) = Options.parse(text)
    #expect(errors.isEmpty)
    #expect(
      options
        == Options(
          onConflict: .log, exitCode: 7, stackDepth: 4, sections: true, delays: true, delaySeed: 9,
          delayBudget: 20, trapFile: "/tmp/traps", exercise: true, requiresContention: true,
          hangLimit: 2, predicts: true, failOn: .potential, holdLimit: 0.5, quiet: true))
    let read = Set(text.split { " \t".contains($0) }.map { $0.prefix { $0 != "=" } })
    #expect(read == Set(Option.all.map { $0.name[...] }), "an option is missing here")
  }

  @Test(
    "no two options have one name, and none takes an empty value",
    arguments: Option.all.map(\.name))
  func declared(name: String) {
    #expect(Option.all.count { $0.name == name } == 1)
    let (options, errors) = Options.parse("\(name)=")
    #expect(options == Options())
    #expect(errors.first?.hasPrefix("interlock: INTERLOCK_OPTIONS: '\(name)' must be ") == true)
    #expect(errors.first?.hasSuffix(", found nothing") == true)
  }

  @Test("what nothing heeds that is linked is one line, and the rest holds")
  func unheeded() {
    let text = "on_conflict=log hang_limit=2 exit_code=7 predict=on quiet=on"
    let all = Options.parse(text)
    #expect(all.errors.isEmpty)
    for (linked, line) in [
      (
        Option.Part.sections,
        "'hang_limit', 'predict' do nothing here: the watchdog is not linked (product InterlockWatchdog)"
      ),
      (
        .watchdog,
        "'on_conflict' does nothing here: section tracking is not compiled in (a debug build, or --traits"
          + " SectionTracking)"
      ),
    ] {
      let (options, errors) = Options.parse(text, linked: linked)
      #expect(errors == ["interlock: INTERLOCK_OPTIONS: " + line])
      #expect(options == all.options)
    }
  }

  @Test("nothing set is nothing changed")
  func empty() {
    #expect(Options.parse("").options == Options())
    #expect(Options.parse("  ").errors.isEmpty)
  }

  @Test(
    "what cannot be read is a line that says what was found and what was expected",
    arguments: [
      (
        "colour=red",
        "unknown option 'colour'; the options are on_conflict, exit_code, stack_depth, sections, delays, "
          + "delay_seed, delay_budget, traps, exercise, require_contention, hang_limit, predict, "
          + "fail_on, hold_limit, quiet"
      ),
      ("on_conflict=panic", "'on_conflict' must be one of trap, log, record, found 'panic'"),
      ("exit_code=0", "'exit_code' must be a whole number from 1 to 255, found '0'"),
      ("exit_code=x", "'exit_code' must be a whole number from 1 to 255, found 'x'"),
      ("stack_depth=17", "'stack_depth' must be a whole number from 0 to 16, found '17'"),
      ("stack_depth=-1", "'stack_depth' must be a whole number from 0 to 16, found '-1'"),
      ("sections=maybe", "'sections' must be on or off, found 'maybe'"),
      ("exercise=all", "'exercise' must be on or off, found 'all'"),
      ("require_contention=1", "'require_contention' must be on or off, found '1'"),
      (
        "require_contention=on exercise=off",
        "'require_contention' needs to know what is exercised, so 'exercise=off' is not heeded"
      ),
      (
        "require_contention=on sections=off",
        "'require_contention' does nothing with 'sections=off'"
      ),
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
      (
        "hang_limit=0.01",
        "'hang_limit' must be a number of seconds from 0.1 to 86400, found '0.01'"
      ),
      (
        "hang_limit=soon",
        "'hang_limit' must be a number of seconds from 0.1 to 86400, found 'soon'"
      ),
      ("predict=yes", "'predict' must be on or off, found 'yes'"),
      ("predict=on fail_on=race", "'fail_on' must be potential, found 'race'"),
      ("fail_on=potential", "'fail_on' does nothing without 'predict=on'"),
      (
        "predict=on hold_limit=0",
        "'hold_limit' must be a number of seconds from 0.001 to 86400, found '0'"
      ),
      ("hold_limit=1", "'hold_limit' does nothing without 'predict=on'"),
      ("exit_code", "option 'exit_code' needs a value, as in 'exit_code=…'"),
    ])
  func errors(text: String, message: String) {
    let (options, errors) = Options.parse("on_conflict=record " + text)
    #expect(errors == ["interlock: INTERLOCK_OPTIONS: " + message])
    if !text.hasPrefix("on_conflict") { #expect(options.onConflict == .record) }
  }

  @Test("an unknown option in the environment is said on standard error, and the rest holds")
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
