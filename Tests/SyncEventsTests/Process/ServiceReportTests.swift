import Foundation
import Testing

extension SyncEvents {
  /// Reports that processes write in a CI service without a request.
  @Suite("Reports of a process in a CI service")
  struct ServiceReportTests {
    private let folder: ReportFolder

    init() throws { folder = try ReportFolder() }

    /// Runs a program in GitHub Actions or GitLab CI.
    private func run(
      _ program: String, _ argument: String = "", in service: String, options: String? = nil,
      reports: String = "on"
    ) throws -> ChildRun {
      try ChildRun(
        program, argument, options: options,
        environment: [
          service: "true", "GITHUB_STEP_SUMMARY": folder.path + "/summary.md",
          "INTERLOCK_CI_REPORTS": reports, "TMPDIR": folder.path, "SWIFT_BACKTRACE": "enable=no",
        ], in: folder.path, quiet: false)
    }

    @Test(
      "In GitHub Actions annotations and the summary are written without a request",
      arguments: [nil, "on_conflict=log", "on_conflict=log report=github"])
    func gitHub(_ options: String?) throws {
      let child = try run("conflict", in: "GITHUB_ACTIONS", options: options)
      #expect(child.status != 0)
      #expect(child.output.matches(of: #/::error /#).count == 1, "\(child.output)")
      #expect(try folder.read("summary.md").hasPrefix("## Interlock: 1 error, 0 warnings\n"))
      #expect(folder.names == ["summary.md"])
    }

    @Test("In GitLab CI the code quality report is written, and a line says so")
    func gitLab() throws {
      let child = try run("conflict", in: "GITLAB_CI", options: "on_conflict=log")
      let file = "gl-code-quality-report.json"
      #expect(try folder.read(file).contains("\"check_name\": \"race\""))
      #expect(!child.output.contains("::error"))
      let note = "interlock: GitLab's code quality report is in '"
      #expect(
        child.errors.split(separator: "\n").count { $0.hasPrefix(note) } == 1, "\(child.errors)")
      // A report that an option names is written there instead.
      let named = "on_conflict=log report=gitlab:own.json"
      try FileManager.default.removeItem(atPath: folder.path + "/" + file)
      #expect(try !run("conflict", in: "GITLAB_CI", options: named).errors.contains(note))
      #expect(folder.names == ["own.json"])
    }

    @Test("A process without a finding writes nothing; if it runs tests, GitLab's empty report")
    func nothing() throws {
      for service in ["GITHUB_ACTIONS", "GITLAB_CI"] {
        let child = try run("ends", in: service)
        #expect(child.status == 0 && child.errors.isEmpty, "\(child.errors)")
        #expect(child.output == "done\n" && folder.names.isEmpty)
      }
      #expect(try run("ends", "--testing-library", in: "GITLAB_CI").status == 0)
      #expect(try folder.read("gl-code-quality-report.json") == "[]\n")
    }

    @Test("Reports that are switched off are not written")
    func off() throws {
      for service in ["GITHUB_ACTIONS", "GITLAB_CI"] {
        let child = try run("conflict", in: service, options: "on_conflict=log", reports: "off")
        #expect(child.output == "done\n" && folder.names.isEmpty)
      }
    }
  }
}
