/// A format of reports: a row of the table of formats.
package struct ReportFormat: Sendable {
  /// The destination of a format's text, and the time when it is written.
  package enum Destination: Sendable, Hashable {
    /// To the terminal, as the results arrive. Exactly one format has this destination, and no
    /// option selects it.
    case terminal
    /// Into the file that the option names, which is complete after each result.
    case growingFile
    /// Into the file that the option names, when the run is over.
    case finishedFile
    /// To the terminal when the run is over, after the other text, if the format's option is given.
    case output
    /// To the end of the file that an environment variable names, together with the terminal's
    /// format.
    case environmentFile(String)
  }

  /// The name of the format and of its option.
  package var name: String
  /// The effect of the option, in a sentence or two.
  package var summary: String
  /// The destination of the text.
  package var destination: Destination
  /// True if the format shows more of a trial that passed as expected than its counts, its time,
  /// its predicted findings, undecided questions and the coverage.
  package var showsPassed: Bool
  /// Creates a reporter for one run.
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
  /// All formats.
  package static let all: [ReportFormat] = [.text, .json, .html, .junit] + findings
}

/// The user's options for a report's contents.
package struct ReportSettings {
  /// The markup of text for a terminal.
  package var style = TextStyle(color: false)
  /// True to show everything, however long.
  package var isVerbose = false
  /// True if a resource used by a single owner makes the run red.
  package var requiresContention = false
  /// The findings that make the run red.
  package var failing = FailureSettings()
  /// The terminal's columns, queried each time; `nil` without a terminal.
  package var width: () -> Int? = { nil }

  /// Creates the default settings.
  package init() {}
}
