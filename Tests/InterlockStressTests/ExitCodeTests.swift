import Foundation
import StressRunner
import Testing

@testable import InterlockStress

@Suite("What 'run' ends with")
struct ExitCodeTests {
  @Test("'run' ends with 0 when every expectation is met")
  func met() throws {
    let test = try TestWorld()
    #expect(test.run() == .met)
    #expect(test.output.text.contains("✓ 6 trials: 6 met, 0 unmet, 0 skipped"))
    #expect(test.errors.text == "")
  }

  @Test("'run' ends with 1 when an expectation is unmet, with evidence and a replay command")
  func unmet() throws {
    let test = try TestWorld()
    test.verdict = { _ in .passed }
    #expect(test.run() == .unmet)
    #expect(test.output.text.contains("✗ reads on bad: passed, expected race"))
    #expect(
      test.output.text.contains(
        "replay: interlock run reads --subject bad --seed 7 --scenarios \(test.folder)"))
  }

  @Test("A retry never turns red into green")
  func retries() throws {
    let test = try TestWorld()
    var count = 0
    test.verdict = { _ in
      count += 1
      return .any(count == 2 ? .crashed : .passed)
    }
    #expect(test.run("writes", "--subject", "good", "--repeat", "3") == .unmet)
    #expect(test.trials.count == 3)
    #expect(test.output.text.contains("✗ crashed 1/3"))
    #expect(test.output.text.contains("expected passed (1 of 3 trials)"))
  }

  @Test("'run' ends with 64 for wrong usage: one line, and no trial is started")
  func usage() throws {
    let test = try TestWorld()
    #expect(test.run("--seed", "ten") == .usage)
    #expect(
      test.errors.text
        == "error: The value 'ten' is invalid for '--seed <n>': expected a whole number from 0 to"
        + " 18446744073709551615; see 'interlock help run'\n")
    #expect(test.trials.isEmpty)
    #expect(test.output.text == "")
  }

  @Test(
    "Every mistake on the command line is one line that refers to the help",
    arguments: [
      (["run", "--seed"], "Missing value for '--seed <n>'; see 'interlock help run'"),
      (
        ["--verbos"],
        "Unknown option '--verbos'. Did you mean '--verbose'? See 'interlock help run'"
      ),
      (
        ["recipes", "x"],
        "Unexpected argument 'x': 'recipes' takes none; see 'interlock help recipes'"
      ),
      (
        ["help", "lst"],
        "There is no command 'lst': did you mean 'list'? See 'interlock help help'"
      ),
      (["--a\nb\u{1B}[2J"], "Unknown option '--a\\u{a}b\\u{1b}[2J'; see 'interlock help run'"),
    ])
  func oneLine(_ arguments: [String], _ expected: String) throws {
    let test = try TestWorld()
    #expect(test.world.perform(arguments) == .usage)
    #expect(test.errors.text == "error: \(expected)\n")
  }

  @Test("'run' ends with 64 for an unknown scenario or subject, with the nearest name")
  func unknownNames() throws {
    let names: [([String], String)] = [
      (["raeds"], "There is no scenario 'raeds': did you mean 'reads'?"),
      (["lsit"], "There is no command or scenario 'lsit'. Did you mean the command 'list'?"),
      (["runn"], "There is no command or scenario 'runn'. Did you mean the command 'run'?"),
      (["run", "lsit"], "There is no scenario 'lsit': expected one of: reads, writes"),
      (["-v", "list"], "There is no scenario 'list'; the command 'list' must stand first"),
      (["--subject", "mutx"], "There is no subject 'mutx': did you mean 'mutex'?"),
      (["--subject", "xyzzyx"], "There is no subject 'xyzzyx': expected one of: good, bad, mutex"),
    ]
    for (arguments, message) in names {
      let test = try TestWorld()
      #expect(test.run(arguments) == .usage)
      let see = message.hasSuffix("?") ? " See" : "; see"
      #expect(test.errors.text == "error: \(message)\(see) 'interlock help run'\n")
      #expect(test.trials.isEmpty)
    }
  }

  @Test("'run' ends with 64 if there is no subject to try, or two subjects have one name")
  func subjects() throws {
    let test = try TestWorld()
    try test.write(
      #"{"name": "x", "summary": "s", "source": "s", "workload": {"driver": "tasks","#
        + #" "phases": [{"callers": 1, "operations": ["get"]}]}}"#, "reads.json")
    test.subjects = []
    #expect(test.run() == .usage)
    test.subjects = ["a", "a"]
    #expect(test.run() == .usage)
    #expect(test.errors.text.contains("lists two subjects by the name 'a'"))
  }

  @Test(
    "'run' ends with 65 for a bad scenario, even one that was not requested: a line for each file")
  func badScenario() throws {
    let test = try TestWorld()
    try test.write("{", "broken.json")
    try test.write(
      try test.read("StressScenarios/reads.json").replacing(
        "\"expect\": {", with: "\"subjects\": [\"bad\", \"bda\"], \"expect\": {"),
      "reads.json")
    let folder = test.folder + "/StressScenarios"
    #expect(test.run("writes") == .badScenario)
    #expect(
      test.errors.text
        == "error: \(folder)/broken.json:1: expected a key in quotation marks,"
        + " found the end of the file\n")
    try FileManager.default.removeItem(atPath: folder + "/broken.json")
    #expect(test.run("writes") == .badScenario)
    #expect(
      test.errors.text.hasSuffix(
        "reads.json:4: there is no subject 'bda': did you mean 'bad'?\n"))
    #expect(test.trials.isEmpty)
  }

  @Test("A line break or an escape code in a file name makes no second line")
  func fileNames() throws {
    let test = try TestWorld()
    try test.write("{", "a\nb\u{1B}[2J.json")
    #expect(test.run() == .badScenario)
    #expect(test.errors.text.contains("/a\\u{a}b\\u{1b}[2J.json:1: expected a key"))
    #expect(test.errors.text.filter { $0 == "\n" }.count == 1)
    let other = try TestWorld()
    #expect(other.run("--json", other.folder + "/no\n\u{1B}/x") == .usage)
    #expect(other.errors.text.contains("/no\\u{a}\\u{1b}/x' is invalid"))
    #expect(other.errors.text.filter { $0 == "\n" }.count == 1)
    #expect(other.world.perform(["--scenarios", "/no\nwhere"]) == .badScenario)
    #expect(other.errors.text.contains("error: /no\\u{a}where: is not there, expected a folder"))
  }

  @Test(
    "'run' ends with 65 for a scenario or a folder whose name is not UTF-8",
    arguments: [(".json", false), ("", true)])
  func badNames(suffix: String, isFolder: Bool) throws {
    let test = try TestWorld()
    let path = Array((test.folder + "/StressScenarios/a").utf8CString.dropLast()) + [-1]
    let whole = path + Array(suffix.utf8CString)
    if isFolder { mkdir(whole, 0o700) } else { close(open(whole, O_WRONLY | O_CREAT, 0o600)) }
    #expect(test.run("reads") == .badScenario)
    #expect(
      test.errors.text == "error: \(test.folder)/StressScenarios: holds 'a\u{FFFD}\(suffix)', whose"
        + " name is not UTF-8\n")
    #expect(test.trials.isEmpty)
  }

  @Test("The command that replays a trial is one line, whatever its folder is called")
  func replayFolder() throws {
    let test = try TestWorld()
    let folder = test.folder + "/it's\n\u{1B}"
    try FileManager.default.moveItem(atPath: test.folder + "/StressScenarios", toPath: folder)
    test.verdict = { _ in .passed }
    #expect(test.world.perform(["--scenarios", folder]) == .unmet)
    #expect(test.output.text.contains("--scenarios $'\(test.folder)/it\\'s\\x0a\\x1b'\n"))
  }

  @Test("'run' ends with 65 for a missing folder")
  func noFolder() throws {
    let test = try TestWorld()
    #expect(test.world.perform(["--scenarios", "/nowhere"]) == .badScenario)
    #expect(
      test.errors.text == "error: /nowhere: is not there, expected a folder of scenarios\n")
  }

  @Test("'run' ends with 70 for a fault of Interlock, and says that it is one")
  func ourFault() throws {
    let test = try TestWorld()
    struct Broken: Error {}
    test.failure = Broken()
    #expect(test.run() == .ourFault)
    #expect(test.errors.text.contains("a fault of Interlock's own"))
  }

  @Test(
    "'run' ends with 70 and the reason if the machine refuses a resource that a trial needs"
  )
  func refused() throws {
    let test = try TestWorld()
    test.refuseAfter = 2
    #expect(test.run("--json", test.folder + "/out.json") == .ourFault)
    #expect(
      test.errors.text
        == "error: the run ended after 2 of 6 trials: no pipe: Too many open files\n")
    #expect(test.output.text.contains("2 met, 0 unmet, 0 skipped"))
    #expect(try results(in: test.read("out.json")) == 2)
    let full = try TestWorld()
    full.refuseAfter = 2
    #expect(full.run("--html", "/dev/full") == .ourFault)
    #expect(
      full.errors.text
        == "error: '/dev/full' could not be written: No space left on device\n"
        + "error: the run ended after 2 of 6 trials: no pipe: Too many open files\n")
    let other = try TestWorld()
    other.refuseAfter = 0
    #expect(other.run("pool", "writes", "--subject", "good") == .ourFault)
    #expect(
      other.errors.text == "error: the run cannot continue: no pipe: Too many open files\n")
  }

  @Test("A file that could not be removed is a warning, and changes no verdict")
  func leftBehind() throws {
    let test = try TestWorld()
    test.leftBehind = ["the folder '/tmp/x' is left: Device or resource busy"]
    #expect(test.run() == .met)
    #expect(
      test.errors.text == "warning: the folder '/tmp/x' is left: Device or resource busy\n")
  }

  @Test(
    "'run' ends with 1 if a trial was skipped and '--fail-on skipped' is given, 0 if none was"
  )
  func skippedIsRed() throws {
    let test = try TestWorld()
    test.verdict = { trial in
      let expected = trial.scenario.expectation(for: trial.subject).verdict
      return .any(trial.subject == "mutex" ? .skipped : expected)
    }
    #expect(test.run() == .met)
    #expect(test.run("--fail-on", "skipped") == .unmet)
    #expect(test.errors.text == "error: 2 of 6 trials were skipped\n")
    #expect(test.run("--fail-on", "skipped", "--subject", "good") == .met)
    #expect(test.run("--fail-on", "everything") == .usage)
    #expect(test.errors.text.contains("expected one of potential, skipped"))
  }

  @Test("'run' ends with 130 when interrupted, after printing what was judged so far")
  func interrupted() throws {
    let test = try TestWorld()
    test.interruptAfter = 2
    #expect(test.run("--json", test.folder + "/out.json") == .interrupted)
    #expect(test.output.text.contains("2 met, 0 unmet, 0 skipped"))
    #expect(test.output.text.hasSuffix("interrupted: 2 of 6 trials were judged\n"))
    #expect(try results(in: test.read("out.json")) == 2)
  }

  @Test("'run' ends with 1 when every trial was skipped: a gate that judged nothing is not green")
  func allSkipped() throws {
    let test = try TestWorld()
    test.verdict = { _ in .skipped(reason: "needs 'get'") }
    #expect(test.run() == .unmet)
    #expect(test.errors.text == "error: nothing was judged: all 6 trials were skipped\n")
  }

  @Test("Without section tracking a race cannot be judged: the trial is skipped, and says why")
  func noTracking() throws {
    let test = try TestWorld()
    test.tracksSections = false
    #expect(test.run() == .met)
    #expect(test.trials.count == 5)
    #expect(!test.trials.contains { $0.subject == "bad" && $0.scenario.name == "reads" })
    #expect(test.output.text.contains("needs section tracking (a debug build, or --traits"))
    #expect(test.output.text.contains("5 met, 0 unmet, 1 skipped"))
  }
}
