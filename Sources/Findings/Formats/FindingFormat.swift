/// A format in which findings are written for another program: a row of the table.
package struct FindingFormat: Sendable {
  /// Where its text goes.
  package enum Destination: Sendable, Hashable {
    /// Into a file.
    case file
    /// To standard output.
    case output
    /// To the end of the file that this environment variable names.
    case environment(String)
  }

  /// What a report states besides its findings.
  package struct Context: Sendable {
    /// The version of this package.
    package var version: String
    /// What ran: `run`, `explore`, `process`.
    package var activity: String
    /// The source files.
    package var repository: Repository
    /// Whether everything that was planned was done.
    package var isComplete = true
    /// Whether old findings were compared with: each is then new or known.
    package var hasBaseline = false
    /// What came of the tests that were explored; `nil` if tests are not the subject.
    package var explored: ExploredTests?
    /// The file that the text replaces; `nil` if it goes elsewhere.
    package var path: String?

    /// Describes a run.
    package init(version: String, activity: String, repository: Repository) {
      self.version = version
      self.activity = activity
      self.repository = repository
    }
  }

  /// The name of the format, and of its option.
  package var name: String
  /// What the option does, in a sentence or two.
  package var summary: String
  /// Where its text goes.
  package var destination: Destination
  /// The text, with a line break at its end; `nil` if the file is to stay as it is.
  package var text: @Sendable ([Finding], Context) -> String?

  /// Every format.
  package static let all: [FindingFormat] = [sarif, gitLab, gitHub, gitHubSummary, xcode]
}

extension Finding {
  /// Where the finding is shown: its first side, or the file that describes the trial.
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
