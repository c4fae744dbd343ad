import Findings
import Foundation
import Interlock

/// A report of a process: a format, and where its text goes.
struct ReportTarget: Sendable, Equatable {
  /// The format.
  var format: FindingFormat
  /// The file; `nil` for standard output.
  var path: String?
  /// Whether the file's name has the number of the process, so that no other process writes to it.
  var isOfOneProcess = false
  /// Whether no option names the report: it is for a CI service.
  var isUnasked = false

  static func == (left: Self, right: Self) -> Bool {
    left.format.name == right.format.name && left.path == right.path
  }

  /// Whether this report and another go to one file, where each would replace the other.
  func isInOneFile(with other: ReportTarget) -> Bool {
    guard let path, let otherPath = other.path else { return false }
    return isOneFile(path, otherPath)
  }

  /// The value of the option that names it: `sarif:out.sarif`, `github`.
  var text: String { format.name + (path.map { ":\($0)" } ?? "") }

  // MARK: Reading

  private static let formats = FindingFormat.ofProcess

  /// The values of the option `report`.
  static let value = ValueFormat<ReportTarget>(
    "format:file",
    expected: formats.map { $0.destination == .file ? "\($0.name):FILE" : $0.name }
      .joined(separator: ", "),
    read: read)

  private static func read(_ text: String) -> ReportTarget? {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let format = formats.first(where: { $0.name == parts[0] }) else { return nil }
    switch (format.destination, parts.count) {
    case (.file, 2) where !parts[1].isEmpty:
      return ReportTarget(format: format, path: String(parts[1]))
    case (.output, 1): return ReportTarget(format: format)
    default: return nil
    }
  }

  // MARK: Planning

  /// The reports that a process writes.
  ///
  /// - Parameters:
  ///   - asked: The reports that the options name.
  ///   - service: The reports that come without being asked for.
  ///   - folder: The folder that relative paths begin in.
  ///   - environment: Returns the value of an environment variable; `nil` if it is not set.
  /// - Returns: The reports, each once, with absolute paths.
  static func plan(
    _ asked: [ReportTarget], _ service: ServiceReports, in folder: String,
    environment: (String) -> String?
  ) -> [ReportTarget] {
    var targets = asked.map { $0.located(in: folder) }
    for format in formats where !targets.contains(where: { $0.format.name == format.name }) {
      var target = ReportTarget(format: format, isUnasked: true)
      if let file = service.files[format.name] {
        target.path = file
        target = target.located(in: folder)
        if !targets.contains(where: target.isInOneFile) { targets.append(target) }
      } else if service.outputFormats.contains(format.name) {
        targets.append(target)
      }
    }
    // As in `interlock run`, the annotations come with the summary of the step.
    let summary = FindingFormat.gitHubSummary
    if targets.contains(where: { $0.format.name == FindingFormat.gitHub.name }),
      case .environment(let variable) = summary.destination,
      let path = environment(variable), !path.isEmpty
    {
      targets.append(ReportTarget(format: summary, path: path, isUnasked: true))
    }
    return targets
  }

  /// This report with an absolute path, in which the number of this process replaces `%p`.
  private func located(in folder: String) -> ReportTarget {
    guard let path else { return self }
    var target = self
    target.isOfOneProcess = path.contains("%p")
    let name = path.replacing("%p", with: "\(getpid())")
    target.path = name.hasPrefix("/") ? name : "\(folder)/\(name)"
    return target
  }
}
