import Foundation
import Testing

extension SyncEvents {
  /// `INTERLOCK_OPTIONS="report=sarif:FILE"`, in separate processes.
  @Suite("Reports of a process")
  struct ProcessReportTests {
    @Test("A conflict is in each report with both sides, whether it is logged or traps")
    func conflict() throws {
      for action in ["log", "trap"] {
        let folder = try ReportFolder()
        let child = try ChildRun(
          "conflict",
          options: "on_conflict=\(action) report=sarif:\(folder.path)/a.sarif"
            + " report=junit:\(folder.path)/a.xml report=gitlab:\(folder.path)/a.json",
          environment: ["SWIFT_BACKTRACE": "enable=no"])
        #expect(action == "log" ? child.status == 66 : child.status < 0, "\(child.errors)")
        #expect(folder.names == ["a.json", "a.sarif", "a.xml"])
        let found = try sarifResults(folder.read("a.sarif"))
        #expect(found.map { $0["ruleId"] as? String } == ["race"])
        #expect((found.first?["relatedLocations"] as? [Any])?.count == 1)
        #expect((found.first?["stacks"] as? [Any])?.count == 2)
        #expect(
          try folder.read("a.sarif").contains("Tests/SyncEventsTestChild/Programs+Reports.swift"))
        #expect(try folder.read("a.xml").contains("<failure type=\"race\""))
        #expect(try folder.read("a.json").contains("\"check_name\": \"race\""))
      }
    }

    @Test("A predicted fault is a warning; a process without a finding has a report that is empty")
    func predicted() throws {
      let folder = try ReportFolder()
      let option = "predict=on report=sarif:\(folder.path)/%p.sarif"
      #expect(try ChildRun("both-ways", options: option).status == 0)
      #expect(try ChildRun("one-way", options: option).status == 0)
      // Each process has its own file.
      let files = folder.names
      #expect(files.count == 2 && files.allSatisfy { $0.wholeMatch(of: /[0-9]+\.sarif/) != nil })
      let found = try files.map { try sarifResults(folder.read($0)) }.sorted { $0.count < $1.count }
      #expect(found.first?.isEmpty == true)
      #expect(found.last?.first?["ruleId"] as? String == "potential-lock-order")
      #expect(found.last?.first?["level"] as? String == "warning")
      let red = try ChildRun("both-ways", options: option + " fail_on=potential")
      #expect(red.status == 66)
      let newest = Set(folder.names).subtracting(files)
      let level = try sarifResults(folder.read(#require(newest.first))).first?["level"] as? String
      #expect(level == "error")
    }

    @Test("A hang that ends the process is in its report, at the lines where the threads wait")
    func hang() throws {
      let folder = try ReportFolder()
      let child = try ChildRun(
        "cycle", options: "hang_limit=5 report=sarif:\(folder.path)/a.sarif report=xcode")
      #expect(child.status == 86, "\(child.errors)")
      let found = try sarifResults(folder.read("a.sarif"))
      #expect(found.map { $0["ruleId"] as? String } == ["deadlock-cycle"])
      #expect(child.output.contains("Programs+Hangs.swift:"))
      #expect(child.output.contains(": error: deadlock (cycle): "))
    }

    @Test("The report is where the process started, even if the process has changed its folder")
    func folder() throws {
      let name = "interlock-report-\(UUID().uuidString).sarif"
      let path = FileManager.default.currentDirectoryPath + "/" + name
      defer { try? FileManager.default.removeItem(atPath: path) }
      let child = try ChildRun(
        "conflict-elsewhere", options: "on_conflict=log report=sarif:\(name)")
      #expect(child.status == 66)
      #expect(try sarifResults(String(contentsOfFile: path, encoding: .utf8)).count == 1)
    }

    @Test("A report that cannot be written is one line, and the exit code stays")
    func unwritable() throws {
      let child = try ChildRun("ends", options: "report=sarif:/no/such/folder/a.sarif")
      #expect(child.status == 0)
      #expect(
        child.errors
          == "interlock: the report '/no/such/folder/a.sarif' could not be written:"
          + " No such file or directory\n")
    }

    @Test(
      "A value that is no report is one line",
      arguments: ["sarif", "sarif:", "xml:a", "github:a", ""])
    func mistakes(_ value: String) throws {
      let child = try ChildRun("ends", options: "report=\(value)")
      #expect(child.status == 0)
      let found = value.isEmpty ? "nothing" : "'\(value)'"
      #expect(
        child.errors
          == "interlock: INTERLOCK_OPTIONS: 'report' must be sarif:FILE, junit:FILE,"
          + " gitlab:FILE, github, xcode, baseline:FILE, found \(found)\n")
    }

    @Test("Two reports that name one file are one line, and the first is written")
    func oneFile() throws {
      let folder = try ReportFolder()
      let (sarif, other) = ("sarif:\(folder.path)/a", "junit:\(folder.path)/../\(folder.name)/a")
      let child = try ChildRun("ends", options: "report=\(sarif) report=\(other) report=\(sarif)")
      #expect(child.status == 0)
      #expect(
        child.errors
          == "interlock: INTERLOCK_OPTIONS: 'report=\(sarif)' and 'report=\(other)' name one file:"
          + " only the first is written\n")
      #expect(try sarifResults(folder.read("a")).isEmpty)
      let twice = "report=sarif:/dev/null report=junit:/dev/null"
      #expect(try ChildRun("ends", options: twice).errors.isEmpty)
    }

    @Test("A process that links Interlock alone says in one line what the option 'report' needs")
    func marksAlone() throws {
      let child = try ChildRun(
        program: "YardstickMarks", options: "report=sarif:a.sarif", quiet: false)
      #expect(
        child.errors.contains(
          "'report' does nothing here: the watchdog is not linked (product InterlockWatchdog)"))
      #expect(!FileManager.default.fileExists(atPath: "a.sarif"))
    }
  }
}
