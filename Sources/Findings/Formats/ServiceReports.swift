import Foundation
import Synchronization

/// The reports for CI services, which are written without an option: annotations and the step's
/// summary in GitHub Actions, the code quality report in GitLab CI.
package struct ServiceReports: Sendable, Hashable {
  /// The environment variable that switches the reports off if it is `off`.
  ///
  /// A process that reports sets it for its children: a test may expect what its children find.
  package static let variable = "INTERLOCK_CI_REPORTS"

  /// The formats whose text goes to standard output.
  package var outputFormats: Set<String> = []
  /// The files, by format name.
  package var files: [String: String] = [:]

  /// Decides by environment variables.
  ///
  /// - Parameter environment: Returns the value of a variable; `nil` if it is not set.
  package init(environment: (String) -> String?) {
    if environment(Self.variable) == "off" { return }
    if environment("GITHUB_ACTIONS") == "true" { outputFormats = [FindingFormat.gitHub.name] }
    if environment("GITLAB_CI") == "true" {
      files = [FindingFormat.gitLab.name: "gl-code-quality-report.json"]
    }
  }

  /// True if no report is written without an option.
  package var isEmpty: Bool { outputFormats.isEmpty && files.isEmpty }

  /// The line that says that a file was written although no option names it.
  package static func note(_ path: String) -> String {
    "GitLab's code quality report is in '\(path)'"
  }

  // MARK: This process

  private static let areTaken = Atomic(false)

  /// True if another part of this process writes the reports, not the report at exit.
  package static var isTaken: Bool {
    // Relaxed: it is stored before the process begins its work.
    areTaken.load(ordering: .relaxed)
  }

  /// Leaves the reports to the caller, in place of the report at exit, and switches them off in
  /// child processes. Call it before there is a second thread.
  package static func take() {
    areTaken.store(true, ordering: .relaxed)
    switchOffInChildren()
  }

  /// Switches the reports off in child processes. Call it before there is a second thread, because
  /// it changes the environment.
  package static func switchOffInChildren() { setenv(variable, "off", 1) }
}
