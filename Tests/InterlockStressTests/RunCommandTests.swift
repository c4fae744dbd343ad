import Foundation
import StressRunner
import Testing

@testable import InterlockStress

@Suite("What 'run' ends with")
struct ExitCodeTests {
  @Test("0 when every expectation is met")
  func met() throws {
    let test = try TestWorld()
    #expect(test.run() == .met)
    #expect(test.output.text.contains("✓ 6 trials: 6 met, 0 unmet, 0 skipped"))
    #expect(test.errors.text == "")
  }

  @Test("1 when one is not, with the evidence and the command that replays it")
  func unmet() throws {
    let test = try TestWorld()
    test.verdict = { _ in Verdict(kind: .passed, message: "all completed") }
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
      return Verdict(kind: count == 2 ? .crashed : .passed, message: "m")
    }
    #expect(test.run("writes", "--subject", "good", "--repeat", "3") == .unmet)
    #expect(test.trials.count == 3)
    #expect(test.output.text.contains("✗ crashed 1/3"))
    #expect(test.output.text.contains("expected passed (1 of 3 trials)"))
  }

  @Test("64 for wrong usage: one line, and no trial is started")
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
    "Every mistake on the command line is one line that says where there is more",
    arguments: [
      (["run", "--seed"], "Missing value for '--seed <n>'; see 'interlock help run'"),
      (
        ["--verbos"],
        "Unknown option '--verbos'. Did you mean '--verbose'? See 'interlock help run'"
      ),
      (["list", "x"], "Unexpected argument 'x': 'list' takes none; see 'interlock help list'"),
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

  @Test("64 for a scenario or a subject that is not there, with the nearest")
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

  @Test("64 where there is no subject to try, or two of one name")
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

  @Test("65 for a bad scenario, even one that was not asked for: a line for each file")
  func badScenario() throws {
    let test = try TestWorld()
    try test.write("{", "broken.json")
    try test.write(
      try test.read("StressScenarios/reads.json").replacing("\"bad\"", with: "\"bda\""),
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

  @Test("The command that replays a trial is one line, whatever its folder is called")
  func replayFolder() throws {
    let test = try TestWorld()
    let folder = test.folder + "/it's\n\u{1B}"
    try FileManager.default.moveItem(atPath: test.folder + "/StressScenarios", toPath: folder)
    test.verdict = { _ in Verdict(kind: .passed, message: "m") }
    #expect(test.world.perform(["--scenarios", folder]) == .unmet)
    #expect(test.output.text.contains("--scenarios $'\(test.folder)/it\\'s\\x0a\\x1b'\n"))
  }

  @Test("65 for a folder that is not there")
  func noFolder() throws {
    let test = try TestWorld()
    #expect(test.world.perform(["--scenarios", "/nowhere"]) == .badScenario)
    #expect(
      test.errors.text == "error: /nowhere: is not there, expected a folder of scenarios\n")
  }

  @Test("70 for a fault of ours, which says that it is ours")
  func ourFault() throws {
    let test = try TestWorld()
    struct Broken: Error {}
    test.failure = Broken()
    #expect(test.run() == .ourFault)
    #expect(test.errors.text.contains("a fault of Interlock's own"))
  }

  @Test("130 when interrupted, after printing what was judged so far")
  func interrupted() throws {
    let test = try TestWorld()
    test.interruptAfter = 2
    #expect(test.run("--json", test.folder + "/out.json") == .interrupted)
    #expect(test.output.text.contains("2 met, 0 unmet, 0 skipped"))
    #expect(test.output.text.hasSuffix("interrupted: 2 of 6 trials were judged\n"))
    #expect(try results(in: test.read("out.json")) == 2)
  }

  @Test("1 when every trial was skipped: a gate that judged nothing is not green")
  func allSkipped() throws {
    let test = try TestWorld()
    test.verdict = { _ in Verdict(kind: .skipped, message: "needs 'get'") }
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

/// How many results a JSON report has; fails where it is no JSON.
func results(in text: String) throws -> Int {
  guard case .object(let members) = try JSONReader.read(Array(text.utf8)).content,
    case .array(let results)? = members.first(where: { $0.key == "results" })?.value.content
  else {
    Issue.record("no report")
    return -1
  }
  return results.count
}

@Suite("What options of 'run' do")
struct RunOptionTests {
  @Test("Scenarios and subjects are picked by name, in the order of folder and table")
  func selection() throws {
    let test = try TestWorld()
    _ = test.run("writes", "reads", "--subject", "mutex", "--subject", "good")
    #expect(test.trials.map(\.scenario.name) == ["reads", "reads", "writes", "writes"])
    #expect(test.trials.map(\.subject) == ["good", "mutex", "good", "mutex"])
  }

  @Test("The seed is the scenario's own unless it is given")
  func seed() throws {
    let test = try TestWorld()
    _ = test.run("--subject", "good")
    #expect(test.trials.map(\.seed) == [7, 1])
    _ = test.run("--subject", "good", "--seed", "3")
    #expect(test.trials.map(\.seed) == [3, 3])
  }

  @Test("Repeats, jobs and the time limit reach the runner")
  func runner() throws {
    let test = try TestWorld()
    _ = test.run("reads", "--subject", "good", "--repeat", "2", "-j3", "--time-limit", "1.5")
    #expect(test.trials.count == 2)
    #expect(test.jobs == 3)
    #expect(test.trials.allSatisfy { $0.scenario.limits.timeSeconds == 1.5 })
    _ = test.run()
    #expect(test.jobs == 2)
  }

  @Test("A time limit within the stall window is warned of: no deadlock can be judged then")
  func timeLimit() throws {
    let test = try TestWorld()
    #expect(test.run("--time-limit", "2") == .met)
    #expect(
      test.errors.text
        == "warning: no deadlock can be judged in 'reads' and 1 more scenario: the time limit of"
        + " 2.0 s must be above the stall window of 2.0 s\n")
    let enough = try TestWorld()
    #expect(enough.run("--time-limit", "2.1") == .met)
    #expect(enough.errors.text == "")
  }

  @Test("--json FILE holds every result as soon as it is judged, and is whole each time")
  func jsonFile() throws {
    let test = try TestWorld()
    try "old and much longer than the report".write(
      toFile: test.folder + "/out.json", atomically: true, encoding: .utf8)
    var counts: [Int] = []
    test.afterEach = {
      counts.append((try? results(in: test.read("out.json"))) ?? -1)
    }
    #expect(test.run("--json", test.folder + "/out.json") == .met)
    #expect(counts == [1, 2, 3, 4, 5, 6])
    #expect(try results(in: test.read("out.json")) == 6)
  }

  @Test("--json - is the report alone on standard output, the text on standard error")
  func jsonOutput() throws {
    let test = try TestWorld()
    #expect(test.run("--json", "-") == .met)
    #expect(try results(in: test.output.text) == 6)
    #expect(test.errors.text.contains("6 met"))
  }

  @Test("--json to a place that cannot be written is a usage error before any trial")
  func unwritable() throws {
    let test = try TestWorld()
    #expect(test.run("--json", test.folder + "/no/out.json") == .usage)
    #expect(test.errors.text.contains("it cannot be written (No such file or directory)"))
    #expect(test.trials.isEmpty)
  }

  @Test("--json to a full disk is told, and not green")
  func fullDisk() throws {
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    let test = try TestWorld()
    #expect(test.run("--json", "/dev/full") == .ourFault)
    #expect(test.errors.text.contains("'/dev/full' could not be written: No space left on device"))
  }

  @Test("Piped output has neither colours nor cursor movements; --color always has colours")
  func piped() throws {
    let test = try TestWorld()
    _ = test.run()
    #expect(!test.output.text.contains("\u{1B}"))
    let colored = try TestWorld()
    _ = colored.run("--color", "always")
    #expect(colored.output.text.contains("\u{1B}[32m✓"))
  }

  @Test("A terminal shows what runs and a bar, never wider than itself, and clears both")
  func terminal() throws {
    let test = try TestWorld()
    test.output.width = 50
    _ = test.run("--color", "never")
    let text = test.output.text
    #expect(text.contains("… reads  good\n"))
    #expect(text.contains("6/6  6 met, 0 unmet, 0 skipped"))
    // From the line's start: the terminal echoes a Ctrl-C there.
    #expect(text.contains("\r\u{1B}[K\u{1B}[A\u{1B}[K\u{1B}[A\u{1B}[K\u{1B}[J"))
    let ups = text.matches(of: /\r\u{1B}\[K(\u{1B}\[A\u{1B}\[K)+\u{1B}\[J/)
    #expect(ups.count == 12)
    for line in text.split(separator: "\n") where line.contains("[=") || line.contains("…") {
      #expect(line.replacing(/\r?\u{1B}\[[AJK]/, with: "").count < 50)
    }
  }

  @Test("--verbose shows the evidence of what failed as it should")
  func verbose() throws {
    let test = try TestWorld()
    _ = test.run("--verbose")
    #expect(test.output.text.contains("✓ reads on bad: race, as expected"))
  }
}

@Suite("The other commands")
struct OtherCommandTests {
  @Test("'list' names subjects, scenarios and benches with their summaries")
  func list() throws {
    let test = try TestWorld()
    test.benches = [BenchEntry(name: "sections", summary: "measures sections") {}]
    #expect(test.run("list") == .met)
    #expect(
      test.output.text == """
        SUBJECTS:
          good   is good
          bad    is bad
          mutex  is mutex

        SCENARIOS (\(test.folder)/StressScenarios):
          reads   reads a lot
          writes  writes a lot

        BENCHES:
          sections  measures sections

        """)
  }

  @Test("The folder is found from below, up to the package's own folder and no further")
  func folderAbove() throws {
    let test = try TestWorld()
    let below = test.folder + "/Sources/App"
    try FileManager.default.createDirectory(atPath: below, withIntermediateDirectories: true)
    var world = test.world
    world.currentFolder = below
    #expect(world.folder(Options()) == test.folder + "/StressScenarios")
    try "".write(toFile: test.folder + "/Sources/Package.swift", atomically: true, encoding: .utf8)
    #expect(world.folder(Options()) == "StressScenarios")
    world.scenarioFolder = "/elsewhere"
    #expect(world.folder(Options()) == "/elsewhere")
  }

  @Test("'bench' runs what is named, or everything; an unknown name is named with the nearest")
  func bench() throws {
    final class Log: @unchecked Sendable {
      var names: [String] = []
    }
    let log = Log()
    let test = try TestWorld()
    #expect(test.world.perform(["bench"]) == .usage)
    test.benches = ["sections", "locks"].map { name in
      BenchEntry(name: name, summary: "s") { log.names.append(name) }
    }
    #expect(test.world.perform(["bench", "locks"]) == .met)
    #expect(test.world.perform(["bench"]) == .met)
    #expect(log.names == ["locks", "sections", "locks"])
    #expect(test.world.perform(["bench", "section"]) == .usage)
    #expect(test.errors.text.contains("There is no bench 'section': did you mean 'sections'?"))
  }

  @Test("--version and --help go to standard output")
  func answers() throws {
    let test = try TestWorld()
    #expect(test.world.perform(["--version"]) == .met)
    #expect(test.output.text == "interlock 0.1.0\n")
    #expect(test.world.perform(["run", "--help"]) == .met)
    #expect(test.output.text.contains("OVERVIEW: Replay scenarios"))
    #expect(test.errors.text == "")
  }
}

@Suite("Output to a descriptor")
struct DescriptorSinkTests {
  @Test("A reader that has gone is no failure, and nothing more is written")
  func closedPipe() {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    close(ends[0])
    let sink = DescriptorSink(ends[1], environment: [:])
    sink.write("text")
    sink.write("text")
    #expect(sink.failure == nil)
    #expect(sink.width == nil)
    close(ends[1])
  }

  @Test("A full disk is a failure with its reason")
  func fullDisk() {
    let descriptor = open("/dev/full", O_WRONLY)
    guard descriptor >= 0 else { return }
    let sink = DescriptorSink(descriptor, environment: [:])
    sink.write("text")
    #expect(sink.failure == "No space left on device")
    close(descriptor)
  }

  @Test("All of a text arrives, in the order that it was written")
  func order() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let sink = DescriptorSink(ends[1], environment: [:])
    sink.write("one ")
    sink.write("two é")
    close(ends[1])
    let data = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readDataToEndOfFile()
    #expect(String(decoding: data, as: UTF8.self) == "one two é")
  }
}
