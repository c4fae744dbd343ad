/// A format that a run is reported in: a row of the table.
package struct ReportFormat: Sendable {
  /// Where a format's text goes, and when.
  package enum Destination: Sendable, Hashable {
    /// To the terminal, as the results arrive. One format does, and no option asks for it.
    case terminal
    /// Into the file that the option names, which is whole after each result.
    case growingFile
    /// Into the file that the option names, when the run is over.
    case finishedFile
  }

  /// The name of the format, and of its option.
  package var name: String
  /// What the option does, a sentence or two.
  package var summary: String
  /// Where its text goes.
  package var destination: Destination
  /// Makes a reporter for one run.
  package var make: @Sendable (ReportSettings) -> any Reporter

  /// Describes a format.
  package init(
    name: String, summary: String, destination: Destination,
    make: @escaping @Sendable (ReportSettings) -> any Reporter
  ) {
    self.name = name
    self.summary = summary
    self.destination = destination
    self.make = make
  }
}

extension ReportFormat {
  /// Every format.
  package static let all: [ReportFormat] = [.text, .json, .html]
}

/// What the user chose of a report's contents.
package struct ReportSettings {
  /// How text for a terminal is marked up.
  package var style = TextStyle(color: false)
  /// Whether everything is shown, however long.
  package var isVerbose = false
  /// Whether a resource that one owner alone touched makes the run red.
  package var requiresContention = false
  /// The columns of the terminal, asked anew each time; `nil` where there is none.
  package var width: () -> Int? = { nil }

  /// The defaults.
  package init() {}
}
