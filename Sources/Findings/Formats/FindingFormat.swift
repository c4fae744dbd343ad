/// A format in which findings are written for other programs: a row of the table of formats.
package struct FindingFormat: Sendable {
  /// The destination of the text.
  package enum Destination: Sendable, Hashable {
    /// Into a file.
    case file
    /// To standard output.
    case output
    /// The end of the file that this environment variable names.
    case environment(String)
  }

  /// The data of a report in addition to its findings.
  package struct Context: Sendable {
    /// The version of this package.
    package var version: String
    /// The activity that ran: `run`, `explore`, `process`.
    package var activity: String
    /// The source files.
    package var repository: Repository
    /// True if everything planned was done.
    package var isComplete = true
    /// True if old findings were compared with, so that each finding is either new or known.
    package var hasBaseline = false
    /// The results of explored tests; `nil` if the report is not about tests.
    package var explored: ExploredTests?
    /// The file that the text replaces; `nil` for another destination.
    package var path: String?

    /// Describes a run.
    package init(version: String, activity: String, repository: Repository) {
      self.version = version
      self.activity = activity
      self.repository = repository
    }
  }

  /// The name of the format and of its option.
  package var name: String
  /// The effect of the option, in a sentence or two.
  package var summary: String
  /// The destination of the text.
  package var destination: Destination
  /// The text, with a line break at its end; `nil` leaves the file unchanged.
  package var text: @Sendable ([Finding], Context) -> String?

  /// All formats.
  package static let all: [FindingFormat] = [sarif, gitLab, gitHub, gitHubSummary, xcode]
}

extension Finding {
  /// The location of the finding: that of its first side, or the file that describes the trial.
  package func location(in repository: Repository) -> Repository.Location? {
    for side in sides {
      if side.place.hasLine, let location = repository.location(of: side.place) {
        return location
      }
      let frame = side.stack.first { $0.hasLine && repository.location(of: $0)?.isInside == true }
      if let location = frame.flatMap(repository.location) { return location }
    }
    return origin?.file.map { repository.location(ofFile: $0, line: 1) }
  }
}
