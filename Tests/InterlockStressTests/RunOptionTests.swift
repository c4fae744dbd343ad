import Foundation
import StressRunner
import Testing

@testable import InterlockStress

@Suite("What options of 'run' do")
struct RunOptionTests {
  @Test("'run' picks scenarios and subjects by name, in the order of folder and table")
  func selection() throws {
    let test = try TestWorld()
    _ = test.run("writes", "reads", "--subject", "mutex", "--subject", "good")
    #expect(test.trials.map(\.scenario.name) == ["reads", "reads", "writes", "writes"])
    #expect(test.trials.map(\.subject) == ["good", "mutex", "good", "mutex"])
  }

  @Test("Delays are on by default, and the option names the trap file")
  func delays() throws {
    let test = try TestWorld()
    func delays(_ arguments: String...) -> [TrialDelays?] {
      #expect(test.run(["reads", "--subject", "good"] + arguments) == .met)
      return test.trials.map(\.delays)
    }
    #expect(delays() == [TrialDelays()])
    #expect(delays("--delays", "off") == [nil])
    #expect(
      delays("--traps", "StressScenarios/traps")
        == [TrialDelays(trapFile: test.folder + "/StressScenarios/traps")])
    #expect(delays("--traps", "/tmp/traps") == [TrialDelays(trapFile: "/tmp/traps")])
    #expect(test.run("reads", "--traps", "t", "--delays", "off") == .usage)
    #expect(test.errors.text.contains("'--traps <file>' does nothing with '--delays off'"))
  }

  @Test("The seed of 'run' is the scenario's unless an option gives one")
  func seed() throws {
    let test = try TestWorld()
    _ = test.run("--subject", "good")
    #expect(test.trials.map(\.seed) == [7, 1])
    _ = test.run("--subject", "good", "--seed", "3")
    #expect(test.trials.map(\.seed) == [3, 3])
  }

  @Test("The options for repeats, jobs and the time limit reach the runner")
  func runner() throws {
    let test = try TestWorld()
    _ = test.run("reads", "--subject", "good", "--repeat", "2", "-j3", "--time-limit", "1.5")
    #expect(test.trials.count == 2)
    #expect(test.jobs == 3)
    #expect(test.trials.allSatisfy { $0.scenario.limits.timeSeconds == 1.5 })
    _ = test.run()
    #expect(test.jobs == 2)
  }

  @Test(
    "A time limit within the stall window gives a warning, because no deadlock can be judged then")
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

  @Test("'--json -' writes the report alone to standard output, and the text to standard error")
  func jsonOutput() throws {
    let test = try TestWorld()
    #expect(test.run("--json", "-") == .met)
    #expect(try results(in: test.output.text) == 6)
    #expect(test.errors.text.contains("6 met"))
  }

  @Test("--json to a file that cannot be written is a usage error before any trial")
  func unwritable() throws {
    let test = try TestWorld()
    #expect(test.run("--json", test.folder + "/no/out.json") == .usage)
    #expect(test.errors.text.contains("it cannot be written (No such file or directory)"))
    #expect(test.trials.isEmpty)
  }

  @Test("--json to a full disk is an error, and the run is not green")
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

  @Test("A terminal shows the running trials and a bar, within its width, and clears both")
  func terminal() throws {
    let test = try TestWorld()
    test.output.width = 50
    _ = test.run("--color", "never")
    let text = test.output.text
    #expect(text.contains("… reads  good\n"))
    #expect(text.contains("6/6  6 met, 0 unmet, 0 skipped"))
    // Cleared from the start of the line, where the terminal echoes a Ctrl-C.
    #expect(text.contains("\r\u{1B}[K\u{1B}[A\u{1B}[K\u{1B}[A\u{1B}[K\u{1B}[J"))
    let ups = text.matches(of: /\r\u{1B}\[K(\u{1B}\[A\u{1B}\[K)+\u{1B}\[J/)
    #expect(ups.count == 12)
    for line in text.split(separator: "\n") where line.contains("[=") || line.contains("…") {
      #expect(line.replacing(/\r?\u{1B}\[[AJK]/, with: "").count < 50)
    }
  }

  @Test("--verbose shows the evidence of expected failures")
  func verbose() throws {
    let test = try TestWorld()
    _ = test.run("--verbose")
    #expect(test.output.text.contains("✓ reads on bad: race, as expected"))
  }
}
