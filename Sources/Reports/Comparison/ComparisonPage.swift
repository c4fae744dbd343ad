package import Comparison

/// A comparison as one page.
package struct ComparisonPage: Sendable {
  private let result: ComparisonRecord

  /// Describes a comparison.
  package init(
    _ result: ComparisonRecord, reference: String, difference: Double, context: ReportContext,
    build: String
  ) {
    self.result = result
  }

  /// The page.
  package var text: String { "" }
}
