import Interlock

/// The values of the options specific to `init`.
package struct InitOptions: Sendable, Hashable {
  /// The CI services that a workflow file can be written for.
  package enum Service: String, Sendable, CaseIterable {
    /// GitHub Actions.
    case github
    /// GitLab CI.
    case gitlab
    /// No workflow file.
    case none
  }

  /// The test target to which the test is added; `nil` for the first one.
  package var target: String?
  /// True to write a stress executable and a scenario.
  package var makesExecutable = false
  /// The CI service; `nil` derives it from the repository.
  package var service: Service?
  /// The folder of Interlock's package; `nil` for the one that this executable was built from.
  package var interlock: String?
  /// True if SwiftPM adds the dependencies to `Package.swift`.
  package var editsManifest = false

  /// Creates the default options.
  package init() {}
}

extension CommandName {
  /// The options specific to `init`.
  static let initOptions: [Row] = [
    Option(
      "target", .text("name"), replay: .leavesOut, "Write the test into this test target.",
      default: "the first; a new one if there is none"
    ) { $1.initial.target = $0 },
    Option(
      flag: "stress", replay: .leavesOut,
      "Write a stress executable and a scenario too: trials in child processes, with a gate for CI."
    ) { $0.initial.makesExecutable = true },
    Option(
      "ci", .choice(InitOptions.Service.allCases, placeholder: "service"), replay: .leavesOut,
      "Write a workflow file for this service.", default: "as the repository's files and remote say"
    ) { $1.initial.service = $0 },
    Option(
      "interlock", .path("folder"), replay: .leavesOut, "Where the package of Interlock is.",
      default: "where this executable was built"
    ) { $1.initial.interlock = $0 },
    Option(
      flag: "edit-manifest", replay: .leavesOut,
      "Add to Package.swift what is shown without this option."
    ) { $0.initial.editsManifest = true },
  ].map { ([.initialize], $0) }
}
