import StressRunner

/// The cell of a table for one pair of scenario and subject.
struct VerdictCell {
  /// A sign and a verdict.
  var text: String
  /// True if the verdict is the expected one; `nil` if the trial was skipped.
  var met: Bool?

  /// Creates a cell with this text.
  init(text: String, met: Bool?) {
    self.text = text
    self.met = met
  }

  /// Combines the trials of one pair: one unmet trial makes the pair unmet. `nil` without trials.
  init?(of results: [TrialResult]) {
    let unmet = results.filter { $0.isMet == false }
    if let first = unmet.first {
      let often = results.count > 1 ? " \(unmet.count)/\(results.count)" : ""
      self.init(text: "✗ " + first.verdict.kind.rawValue + often, met: false)
    } else if let met = results.first(where: { $0.isMet == true }) {
      self.init(text: "✓ " + met.verdict.kind.rawValue, met: true)
    } else if !results.isEmpty {
      self.init(text: "– skipped", met: nil)
    } else {
      return nil
    }
  }
}
