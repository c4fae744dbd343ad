import Foundation
import Interlock
import Prediction
import StressRunner
import Testing

@testable import Explorer
@testable import InterlockStress

/// The command that a report prints below a finding: it runs the same trial and judges it equally.
@Suite("The replay line")
struct ReplayLineTests {
  /// A value that differs from the default for each placeholder, and for an option that has its
  /// own.
  private static let values = [
    "name": "bad", "n": "3", "seconds": "2.5", "file": "some traps", "when": "never",
    "switch": "off", "what": "potential",
  ]
  /// Options that select trials or result files: a replay itself names its only trial.
  private static let others: Set = [
    "subject", "family", "repeat", "seed", "jobs", "json", "html", "junit", "sarif", "gitlab",
    "github", "xcode", "baseline", "update-baseline", "shard", "record", "resume", "verbose",
    "color", "version", "help",
  ]

  /// A world in which every trial is unmet, and every trial with prediction has a finding.
  private func makeWorld() throws -> TestWorld {
    let test = try TestWorld()
    test.verdict = { _ in .any(.crashed) }
    test.findings = { _ in
      [PotentialFinding(kind: .lockOrder, headline: "both ways", sides: [], count: 1)]
    }
    return test
  }

  /// The arguments of the first replay line after the executable's name, as a shell splits them.
  private func replay(_ text: String) throws -> [String] {
    let line = try #require(
      text.split(separator: "\n").first { $0.hasPrefix("  replay: ") })
    let shell = Process()
    let pipe = Pipe()
    shell.executableURL = URL(fileURLWithPath: "/bin/bash")
    shell.arguments = ["-c", "printf '%s\\0' " + line.dropFirst("  replay: ".count)]
    shell.standardOutput = pipe
    try shell.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    shell.waitUntilExit()
    return String(decoding: data, as: UTF8.self).split(separator: "\0").map(String.init)
  }

  @Test("The replay line plans the same trial again, for every option of 'run' that changes it")
  func everyOption() throws {
    for spec in CommandName.run.options where !Self.others.contains(spec.name) {
      let test = try makeWorld()
      var arguments = ["run", "reads", "--" + spec.name]
      if spec.name == "scenarios" {
        arguments.append(test.folder + "/StressScenarios")
      } else {
        if let placeholder = spec.placeholder {
          arguments.append(try #require(Self.values[placeholder], "no value for \(spec.label)"))
        }
        arguments += ["--scenarios", test.folder + "/StressScenarios"]
      }
      let code = test.world.perform(arguments)
      #expect(code == .unmet)
      let trial = try #require(test.trials.first)
      let again = try makeWorld()
      let words = try replay(test.output.text)
      #expect(words.first == "interlock")
      #expect(words.contains("--" + spec.name), "\(spec.label)")
      #expect(again.world.perform(Array(words.dropFirst())) == code)
      var replayed = again.trials
      // A relative file is relative to the current folder, which differs between these worlds.
      for index in replayed.indices where trial.delays?.trapFile != nil {
        replayed[index].delays?.trapFile = trial.delays?.trapFile
      }
      #expect(replayed == [trial], "\(spec.label)")
    }
  }

  @Test("The replay line of an exploration without a failing order tries the same orders again")
  func search() throws {
    let given = [
      "--strategy", "pct:3", "--budget", "50", "--pool-width", "64", "--memory-model", "weak",
    ]
    let test = try makeWorld()
    test.verdict = { _ in .passed }
    #expect(test.run(["explore", "reads", "--subject", "bad"] + given) == .unmet)
    let trial = try #require(test.trials.first)
    let words = try replay(test.output.text)
    #expect(Array(words.suffix(given.count)) == given, "\(words)")
    let again = try makeWorld()
    again.verdict = test.verdict
    #expect(again.world.perform(Array(words.dropFirst())) == .unmet, "\(again.errors.text)")
    #expect(again.trials == [trial])
  }

  @Test("The replay line of a failing order has its token alone")
  func token() throws {
    let test = try makeWorld()
    let failure = ExplorationFailure(
      verdict: .deadlock(nil), text: "", schedule: Schedule(), token: "i1-0", origin: .order(1))
    test.verdict = { _ in .explored(failure) }
    #expect(
      test.run("explore", "reads", "--subject", "good", "--pool-width", "3", "--budget", "9")
        == .unmet)
    let words = try replay(test.output.text)
    #expect(Array(words.suffix(2)) == ["--replay", "i1-0"])
    #expect(!words.contains("--pool-width") && !words.contains("--budget"))
  }

  @Test("The replay line repeats each value of an option with several values once")
  func each() throws {
    let test = try makeWorld()
    _ = test.run("reads", "--fail-on=potential", "--fail-on=skipped", "--fail-on=potential")
    let words = try replay(test.output.text)
    #expect(
      words.drop { $0 != "--fail-on" }.prefix(4) == [
        "--fail-on", "skipped", "--fail-on", "potential",
      ])
  }

  @Test("The replay line of a potential finding predicts again")
  func potential() throws {
    let test = try makeWorld()
    test.verdict = { _ in .passed }
    #expect(test.run("writes", "--subject", "good", "--fail-on", "potential") == .unmet)
    #expect(
      try replay(test.output.text).starts(with: [
        "interlock", "run", "writes", "--subject", "good", "--seed", "1", "--fail-on", "potential",
      ]))
  }

  @Test("The replay line has an option as it was given, or the last of several, quoted for a shell")
  func quoted() throws {
    let test = try makeWorld()
    test.environment = [
      "INTERLOCK_OPTIONS": "stack_depth=4 exit_code=7", "INTERLOCK_POOL_WIDTH": "3",
    ]
    _ = test.run("reads", "--time-limit", "3", "--time-limit=2.50", "--traps=it's -o")
    let words = try replay(test.output.text)
    #expect(
      words == [
        "INTERLOCK_OPTIONS=stack_depth=4 exit_code=7", "INTERLOCK_POOL_WIDTH=3", "interlock", "run",
        "reads", "--subject", "good", "--seed", "7", "--time-limit", "2.50", "--traps", "it's -o",
        "--scenarios", test.folder + "/StressScenarios",
      ])
  }
}
