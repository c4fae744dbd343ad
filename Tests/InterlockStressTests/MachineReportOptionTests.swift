import Foundation
import Findings
import Reports
import StressRunner
import Testing

@testable import InterlockStress

@Suite("Options of reports for other programs")
struct MachineReportOptionTests {
  private func world() throws -> TestWorld {
    let test = try TestWorld()
    test.verdict = { .any($0.subject == "bad" ? .race : .passed) }
    return test
  }

  @Test("Several reports at once have the same finding, each in its file, and leave no other file")
  func several() throws {
    let test = try world()
    let files = ["junit": "a.xml", "sarif": "b.sarif", "gitlab": "c.json", "html": "d.html"]
    let options = files.flatMap { ["--\($0)", test.folder + "/" + $1] }
    #expect(test.run(["writes", "--github", "--xcode"] + options) == .unmet)
    for file in files.values { #expect(try test.read(file).contains("users"), "\(file)") }
    let lines = test.output.text.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("::error ") } == 1)
    #expect(lines.count { $0.contains(": error: 'users'") } == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: test.folder)
    #expect(Set(names) == Set(files.values).union(["StressScenarios"]))
  }

  @Test("A finding without a line is shown at the file of its scenario")
  func scenarioFile() throws {
    let test = try world()
    test.verdict = { .any($0.subject == "bad" ? .timedOut : .passed) }
    #expect(test.run(["writes", "--github"]) == .unmet)
    #expect(test.output.text.contains("::error file=StressScenarios/writes.json,line=1,title="))
  }

  @Test("In GitHub Actions 'run' writes annotations and the step's summary without a request")
  func gitHub() throws {
    let test = try world()
    let summary = test.folder + "/summary.md"
    try "before\n".write(toFile: summary, atomically: true, encoding: .utf8)
    test.environment = ["GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": summary]
    #expect(test.run("writes") == .unmet)
    #expect(test.output.text.contains("\n::error "))
    #expect(try test.read("summary.md").hasPrefix("before\n## Interlock: 1 error, 0 warnings\n"))
    // Without annotations there is no summary either.
    let plain = try world()
    plain.environment = ["GITHUB_STEP_SUMMARY": plain.folder + "/summary.md"]
    #expect(plain.run("writes") == .unmet)
    #expect(!plain.output.text.contains("::error"))
    #expect(throws: (any Error).self) { try plain.read("summary.md") }
  }

  @Test("A step's summary that cannot be written is a warning: the run's own result counts")
  func noSummary() throws {
    let test = try world()
    test.environment = ["GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": "/no/such/folder/a.md"]
    #expect(test.run("writes") == .unmet)
    #expect(test.errors.text.contains("warning: '/no/such/folder/a.md' could not be written"))
  }

  @Test("In GitLab CI 'run' writes the code quality report without a request")
  func gitLab() throws {
    let parsed = try parseArguments([], environment: ["GITLAB_CI": "true"])
    guard case .run(_, let options) = parsed else {
      Issue.record("another command")
      return
    }
    #expect(options.unaskedFiles == ["gitlab": "gl-code-quality-report.json"])
    #expect(options.reportFiles.isEmpty)
    // An option names another file instead.
    let test = try world()
    test.environment = ["GITLAB_CI": "true"]
    #expect(test.run("writes", "--gitlab", test.folder + "/own.json") == .unmet)
    #expect(try JSONReader.read(Array(test.read("own.json").utf8)).list.count == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: test.folder)
    #expect(!names.contains("gl-code-quality-report.json"))
  }

  @Test("In GitLab CI a line says where the report is if no option names it")
  func note() throws {
    let test = try world()
    var options = Options()
    options.scenarioFolder = test.folder + "/StressScenarios"
    let file = test.folder + "/report.json"
    options.unaskedFiles = ["gitlab": file]
    func run() throws {
      _ = try RunCommand(world: test.world, options: options, .run)
        .perform(["writes"], firstArgument: "writes")
    }
    try run()
    #expect(test.errors.text.contains("note: GitLab's code quality report is in '\(file)'\n"))
    #expect(try JSONReader.read(Array(test.read("report.json").utf8)).list.count == 1)
    // A report of another format that an option writes to this file stays.
    options.reportFiles = ["sarif": file]
    try run()
    #expect(try test.read("report.json").contains("sarif-2.1.0"))
    #expect(test.errors.text.matches(of: #/note: /#).count == 1)
  }

  @Test("INTERLOCK_CI_REPORTS=off leaves only the reports that options name")
  func off() throws {
    for service in ["GITLAB_CI", "GITHUB_ACTIONS"] {
      let environment = [service: "true", "INTERLOCK_CI_REPORTS": "off"]
      guard case .run(_, let options) = try parseArguments(["--xcode"], environment: environment)
      else {
        Issue.record("another command")
        return
      }
      #expect(options.outputFormats == ["xcode"] && options.unaskedFiles.isEmpty)
    }
  }

  @Test(
    "Two options that name one file are wrong usage, in one line, before anything is written",
    arguments: [
      ("run", "junit", "sarif", "a", "a"), ("explore", "json", "html", "a", "./a"),
      ("run", "record", "json", "a", "a"), ("explore", "gitlab", "sarif", "b", "a"),
      ("merge", "junit", "gitlab", "a", "b"), ("run", "baseline", "json", "a", "a"),
    ])
  func oneFile(
    _ command: String, _ first: String, _ second: String, _ path: String, _ otherPath: String
  ) throws {
    let test = try world()
    let record = test.folder + "/record.jsonl"
    #expect(test.run("writes", "--record", record) == .unmet)
    let link = test.folder + "/b"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: test.folder + "/a")
    if path != otherPath { try "".write(toFile: link, atomically: false, encoding: .utf8) }
    let files = [
      "--\(first)", "\(test.folder)/\(path)", "--\(second)", "\(test.folder)/\(otherPath)",
    ]
    let arguments = command == "merge" ? [command, record] : [command, "writes"]
    let code =
      command == "merge" ? test.world.perform(arguments + files) : test.run(arguments + files)
    #expect(code == .usage)
    let errors = test.errors.text.split(separator: "\n")
    #expect(errors.count == 1, "\(errors)")
    let line = errors.last ?? ""
    #expect(line.contains("'--\(first)'") && line.contains("'--\(second)'"), "\(line)")
    #expect(line.contains("name one file, '\(test.folder)/"), "\(line)")
    #expect(((try? test.read("a")) ?? "").isEmpty)
  }

  @Test("A report of 'merge' cannot replace one of its records")
  func ownRecord() throws {
    let test = try world()
    let record = test.folder + "/record.jsonl"
    #expect(test.run("writes", "--record", record) == .unmet)
    let text = try test.read("record.jsonl")
    #expect(test.world.perform(["merge", record, "--json", record]) == .usage)
    #expect(test.errors.text.contains("The option '--json' names the record '\(record)'"))
    #expect(try test.read("record.jsonl") == text)
  }

  @Test("A file of traps that cannot be written is wrong usage, before a trial runs")
  func traps() throws {
    let test = try world()
    #expect(test.run("writes", "--traps", test.folder + "/none/traps") == .usage)
    #expect(test.errors.text.contains("for '--traps <file>': it cannot be written"))
    #expect(test.trials.isEmpty)
  }

  @Test("Two reports of 'run' may go to one stream")
  func oneStream() throws {
    let test = try world()
    #expect(test.run("writes", "--junit", "/dev/null", "--sarif", "/dev/null") == .unmet)
  }

  @Test("A report that no option names and that cannot be written is a warning")
  func unaskedFile() throws {
    let test = try world()
    var options = Options()
    options.scenarioFolder = test.folder + "/StressScenarios"
    options.unaskedFiles = ["gitlab": "/no/such/folder/report.json"]
    let code = try RunCommand(world: test.world, options: options, .run)
      .perform(["writes"], firstArgument: "writes")
    #expect(code == .unmet)
    #expect(test.errors.text.contains("warning: '/no/such/folder/report.json' is not written"))
    #expect(test.run("writes", "--sarif", "/no/such/folder/report.sarif") == .usage)
  }

  @Test("If the JSON goes to standard output, annotations go to the text's stream")
  func streams() throws {
    let test = try world()
    #expect(test.run("writes", "--github", "--json", "-") == .unmet)
    #expect(!test.output.text.contains("::error"))
    #expect(test.errors.text.contains("::error"))
    _ = try results(in: test.output.text)
  }

  @Test("An exploration has the reports of a run, and a replay repeats none of them")
  func explore() throws {
    let test = try world()
    #expect(test.run("explore", "writes", "--xcode", "--sarif", test.folder + "/a.sarif") == .unmet)
    let text = try test.read("a.sarif")
    #expect(text.contains("\"id\": \"interlock/explore/\""))
    #expect(text.contains("interlock explore writes --subject bad"))
    #expect(!text.contains("--sarif") && !text.contains("--xcode"))
  }
}

extension JSONValue {
  fileprivate var list: [JSONValue] { if case .array(let values) = content { values } else { [] } }
}
