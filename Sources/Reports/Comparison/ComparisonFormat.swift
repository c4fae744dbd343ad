package import Comparison

/// A finished comparison, with the data that its reports show.
package struct ComparisonReport {
  /// The measured figures.
  package var record: ComparisonRecord
  /// The strategy that others are compared with.
  package var reference: String
  /// The smallest difference of interest: 0.05 is 5 %.
  package var difference: Double
  /// The tool and the machine that measured.
  package var context: ReportContext
  /// How the executable was built: `release` or `debug`.
  package var build: String
  /// The user's options for the report's contents.
  package var settings = ReportSettings()

  /// Describes a comparison.
  package init(
    _ record: ComparisonRecord, reference: String, difference: Double, context: ReportContext,
    build: String
  ) {
    self.record = record
    self.reference = reference
    self.difference = difference
    self.context = context
    self.build = build
  }
}

/// A format in which a comparison is reported: a row of the table of formats.
package struct ComparisonFormat: Sendable {
  /// The name of the format and of its option.
  package var name: String
  /// The effect of the option, in a sentence or two.
  package var summary: String
  /// The destination of the text: the terminal, or the file that the option names.
  package var destination: ReportFormat.Destination
  /// True if `-` names standard output.
  package var mayUseOutput = false
  /// The whole text, with a line break at its end.
  package var text: @Sendable (ComparisonReport) -> String

  /// All formats.
  package static let all = [
    ComparisonFormat(name: "text", summary: "", destination: .terminal) {
      ComparisonText($0).text
    },
    ComparisonFormat(
      name: "json",
      summary: "Write every round's figures to this file; '-' is standard output, and the text then"
        + " goes to standard error.",
      destination: .finishedFile, mayUseOutput: true
    ) { ComparisonJSON.text($0) },
    ComparisonFormat(
      name: "html", summary: "Write the comparison to this file as a page with charts.",
      destination: .finishedFile
    ) { ComparisonPage($0).text },
  ]
}
