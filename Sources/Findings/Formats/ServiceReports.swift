import Foundation
import Synchronization

/// The reports that a CI service reads, which come without being asked for: annotations and the
/// step's summary in GitHub Actions, the code quality report in GitLab CI.
package struct ServiceReports: Sendable, Hashable {
  /// The environment variable that switches them off with `off`.
  ///
  /// A process that reports sets it for its children: a test may expect what its children find.
  package static let variable = "INTERLOCK_CI_REPORTS"

  /// The formats whose text goes to standard output.
  package var outputFormats: Set<String> = []
  /// The files, by the names of their formats.
  package var files: [String: String] = [:]

  /// Decides by the variables of a process.
  ///
  /// - Parameter environment: Returns the value of a variable; `nil` if it is not set.
  package init(environment: (String) -> String?) {
    if environment(Self.variable) == "off" { return }
    if environment("GITHUB_ACTIONS") == "true" { outputFormats = [FindingFormat.gitHub.name] }
    if environment("GITLAB_CI") == "true" {
      files = [FindingFormat.gitLab.name: "gl-code-quality-report.json"]
    }
  }

  /// Whether no report comes without being asked for.
  package var isEmpty: Bool { outputFormats.isEmpty && files.isEmpty }

  /// What says in one line that a file was written that no option names.
  package static func note(_ path: String) -> String {
    "GitLab's code quality report is in '\(path)'"
  }

  // MARK: This process

  private static let areTaken = Atomic(false)

  /// Whether another part of this process writes them, not its report at exit.
  package static var isTaken: Bool {
    // Relaxed: it is stored before the process begins its work.
    areTaken.load(ordering: .relaxed)
  }

  /// Leaves them to the caller, in place of the report at exit, and switches them off in the
  /// processes that this one starts. Call it before there is another thread.
  package static func take() {
    areTaken.store(true, ordering: .relaxed)
    switchOffInChildren()
  }

  /// Switches them off in the processes that this one starts. Call it before there is another
  /// thread, because it changes the environment.
  package static func switchOffInChildren() { setenv(variable, "off", 1) }
}
