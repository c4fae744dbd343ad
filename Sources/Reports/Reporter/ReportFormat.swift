/// A format of reports: a row of the table.
package struct ReportFormat: Sendable {
  /// Where a format's text goes, and when.
  package enum Destination: Sendable, Hashable {
    /// To the terminal, as the results arrive. Exactly one format does this, and no option selects
    /// it.
    case terminal
    /// Into the file that the option names, which is complete after each result.
    case growingFile
    /// Into the file that the option names, when the run is over.
    case finishedFile
    /// To the terminal when the run is over, after the other text, if its option is given.
    case output
    /// To the end of the file that an environment variable names, with the format that goes to the
    /// terminal.
    case environmentFile(String)
  }

  /// The name of the format, and of its option.
  package var name: String
  /// What the option does, in a sentence or two.
  package var summary: String
  /// Where its text goes.
  package var destination: Destination
  /// Whether it shows more of a trial that passed as expected than its counts, its time, its
  /// predicted findings, what was not decided, and the coverage.
  package var showsPassed: Bool
  /// Makes a reporter for one run.
  package var make: @Sendable (ReportSettings) -> any Reporter

  /// Describes a format.
  package init(
    name: String, summary: String, destination: Destination, showsPassed: Bool = true,
    make: @escaping @Sendable (ReportSettings) -> any Reporter
  ) {
    self.name = name
    self.summary = summary
    self.destination = destination
    self.showsPassed = showsPassed
    self.make = make
  }
}

extension ReportFormat {
  /// Every format.
  package static let all: [ReportFormat] = [.text, .json, .html, .junit] + findings
}

/// The user's choices for a report's contents.
package struct ReportSettings {
  /// How text for a terminal is marked up.
  package var style = TextStyle(color: false)
  /// Whether everything is shown, however long.
  package var isVerbose = false
  /// Whether a resource that a single owner used makes the run red.
  package var requiresContention = false
  /// Which findings make the run red.
  package var failing = FailureSettings()
  /// The terminal's columns, queried anew each time; `nil` without a terminal.
  package var width: () -> Int? = { nil }

  /// The defaults.
  package init() {}
}
