import Foundation
import Testing

extension SyncEvents {
  /// Processes that write one report, as the processes that `swift test` starts.
  @Suite("Reports that several processes share")
  struct SharedReportTests {
    private let folder: ReportFolder

    init() throws { folder = try ReportFolder() }

    /// Runs a script in a process with the package manager's name, which the system takes from the
    /// script's file. In the script, `$child` is the program of the tests.
    private func swiftTest(_ script: String, options: String? = nil) throws {
      let child = ChildRun.executable("SyncEventsTestChild").path
      // The last line keeps the shell from replacing itself with its last program.
      let lines = ["#!/bin/sh", "child='\(child)'", script, "true", ""]
      try folder.write(lines.joined(separator: "\n"), "swift-test", permissions: 0o755)
      let reports = ["sarif": "a.sarif", "junit": "a.xml", "gitlab": "a.json"]
        .map { "report=\($0):\(folder.path)/\($1)" }.joined(separator: " ")
      let run = try ChildRun(
        program: folder.path + "/swift-test", options: options ?? "on_conflict=log \(reports)",
        environment: ["TMPDIR": folder.path])
      #expect(run.status == 0, "\(run.errors)")
    }

    /// A pipeline without data. Not `wait`, for which the shell needs SIGCHLD: threads of Dispatch
    /// block that signal, and so do the programs that those threads start.
    private func together(_ programs: [String]) -> String {
      programs.map { "\"$child\" \($0) > /dev/null" }.joined(separator: " | ")
    }

    /// The number of findings in each report.
    private var counts: [Int] {
      get throws {
        [
          try sarifResults(folder.read("a.sarif")).count,
          try folder.read("a.xml").matches(of: #/<failure /#).count,
          try folder.read("a.json").matches(of: /"fingerprint"/).count,
        ]
      }
    }

    @Test(
      "A report has the findings of each process of one 'swift test', in either order",
      arguments: [
        "\"$child\" conflict; \"$child\" ends", "\"$child\" ends; \"$child\" conflict",
        // The second process changes its folder.
        "\"$child\" ends; \"$child\" conflict-elsewhere",
      ])
    func both(_ script: String) throws {
      try swiftTest(script)
      #expect(try counts == [1, 1, 1])
    }

    @Test("The report of an earlier 'swift test' is replaced")
    func earlier() throws {
      try swiftTest("\"$child\" conflict; \"$child\" ends")
      #expect(try counts == [1, 1, 1])
      try swiftTest("\"$child\" ends; \"$child\" ends")
      #expect(try counts == [0, 0, 0])
    }

    @Test("A process that another program starts replaces the report")
    func others() throws {
      try swiftTest("\"$child\" conflict")
      #expect(try counts == [1, 1, 1])
      let options = "report=sarif:\(folder.path)/a.sarif"
      #expect(try ChildRun("ends", options: options).status == 0)
      #expect(try counts == [0, 1, 1])
    }

    @Test("Processes at one time lose no finding, and leave no other file")
    func together() throws {
      let count = 8
      try swiftTest(together([String](repeating: "conflict", count: count)))
      #expect(try counts == [1, 1, 1])
      let found = try sarifResults(folder.read("a.sarif")).first
      #expect(found?["occurrenceCount"] as? Int == count)
      let stores = folder.names.filter { $0.hasPrefix("interlock-reports-") }
      #expect(stores.count == 1)
      #expect(
        folder.names.filter { !stores.contains($0) }
          == ["a.json", "a.sarif", "a.xml", "swift-test"])
    }

    @Test("Processes at one time lose no finding of a baseline")
    func baseline() throws {
      let options = "on_conflict=log predict=on report=baseline:\(folder.path)/known.json"
      try swiftTest(together(["conflict", "both-ways"]), options: options)
      let known = try folder.read("known.json")
      #expect(known.contains("\"race\"") && known.contains("\"potential-lock-order\""), "\(known)")
    }
  }
}
