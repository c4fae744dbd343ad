import Foundation
import Interlock
import Reports
import StressRunner
import Testing

@testable import InterlockStress

/// A format with a line for each result, which only this test defines.
private struct LinesReporter: Reporter {
  private var count = 0

  mutating func begin(_ trials: [Trial], _ context: ReportContext) -> String {
    "1..\(trials.count) with \(context.command)\n"
  }

  mutating func result(_ result: TrialResult) -> String {
    count += 1
    let sign = result.isMet == false ? "not ok" : "ok"
    return "\(sign) \(count) \(result.trial.scenario.name) \(result.trial.subject)\n"
  }

  func end(_ summary: ReportSummary) -> String {
    "# \(summary.met) of \(summary.planned) met\n"
  }
}

/// Formats that a test adds to the table of formats.
@Suite("A format of reports")
struct ReportFormatTests {
  private func lines(_ name: String, _ destination: ReportFormat.Destination) -> ReportFormat {
    ReportFormat(name: name, summary: "A line for each result.", destination: destination) { _ in
      LinesReporter()
    }
  }

  /// Runs the scenario `writes` on three subjects, one of which races, with a file for each format.
  private func run(
    _ test: TestWorld, _ formats: [ReportFormat], files: [String: String]
  ) throws -> ExitCode {
    test.verdict = { .any($0.subject == "bad" ? .race : .passed) }
    var world = test.world
    world.formats = formats
    var options = Options()
    options.scenarioFolder = test.folder + "/StressScenarios"
    options.reportFiles = files.mapValues { $0 == "-" ? $0 : test.folder + "/" + $0 }
    return try RunCommand(world: world, options: options, .run)
      .perform(["writes"], firstArgument: "writes")
  }

  private let report = """
    1..3 with interlock
    ok 1 writes good
    not ok 2 writes bad
    ok 3 writes mutex
    # 2 of 3 met

    """

  @Test("A format that a test defines is a row of the table, in a file and beside the others")
  func row() throws {
    let test = try TestWorld()
    let formats =
      ReportFormat.all + [lines("lines", .growingFile), lines("whole-lines", .finishedFile)]
    let files = [
      "json": "out.json", "html": "out.html", "lines": "lines.txt", "whole-lines": "whole.txt",
    ]
    #expect(try run(test, formats, files: files) == .unmet)
    #expect(try test.read("lines.txt") == report)
    #expect(try test.read("whole.txt") == report)
    #expect(try test.read("out.json").contains("\"planned\": 3"))
    #expect(try test.read("out.html").contains("writes"))
    #expect(test.output.text.contains("✗ 3 trials: 2 met, 1 unmet, 0 skipped"))
  }

  @Test("A format of reports has an option of 'run' if it goes to a file")
  func options() throws {
    let files = ReportFormat.all.filter {
      [.growingFile, .finishedFile].contains($0.destination)
    }
    let words = files.flatMap { ["--\($0.name)", "\($0.name).out"] }
    guard case .run(_, let options) = try parseArguments(words, environment: [:]) else {
      Issue.record("another command")
      return
    }
    #expect(
      options.reportFiles
        == Dictionary(uniqueKeysWithValues: files.map { ($0.name, "\($0.name).out") }))
    #expect(CommandName.run.options.filter { $0.name == "text" }.isEmpty)
    for format in ReportFormat.all where format.destination == .output {
      guard
        case .explore(_, let options) = try parseArguments(
          ["explore", "--\(format.name)"], environment: [:])
      else {
        Issue.record("another command")
        return
      }
      #expect(options.outputFormats == [format.name])
    }
  }

  @Test("The file of a report's format is complete after each result, with an end that may shrink")
  func growing() throws {
    let test = try TestWorld()
    var seen: [String] = []
    test.afterEach = { seen.append((try? test.read("lines.txt")) ?? "no file") }
    _ = try run(test, [lines("lines", .growingFile)], files: ["lines": "lines.txt"])
    #expect(
      seen.first == "1..3 with interlock\nok 1 writes good\n# 1 of 3 met\n" && seen.count == 3)
    #expect(seen.last == report)
  }

  @Test("A format of reports can replace the text on the terminal and on standard output")
  func elsewhere() throws {
    let terminal = try TestWorld()
    _ = try run(terminal, [lines("lines", .terminal)], files: [:])
    #expect(terminal.output.text == report)
    let stream = try TestWorld()
    let formats = ReportFormat.all + [lines("lines", .growingFile)]
    _ = try run(stream, formats, files: ["lines": "-"])
    #expect(stream.output.text == report)
    #expect(stream.errors.text.contains("✗ 3 trials: 2 met"))
  }

  @Test("A format of reports empties no file if another format's file cannot be written")
  func unwritable() throws {
    let test = try TestWorld()
    try "precious".write(toFile: test.folder + "/lines.txt", atomically: true, encoding: .utf8)
    let formats = [lines("lines", .growingFile), lines("more", .growingFile)]
    #expect(throws: UsageError.self) {
      try run(test, formats, files: ["lines": "lines.txt", "more": "no/such/folder.txt"])
    }
    #expect(try test.read("lines.txt") == "precious")
  }
}
