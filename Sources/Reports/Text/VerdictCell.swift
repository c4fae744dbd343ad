import StressRunner

/// What a table says of one pair of scenario and subject.
struct VerdictCell {
  /// A sign and a verdict.
  var text: String
  /// Whether it is the expected one.
  var met: Bool?

  /// Says this.
  init(text: String, met: Bool?) {
    self.text = text
    self.met = met
  }

  /// Sums up the trials of one pair: one that is unmet makes the pair unmet. `nil` where there is
  /// none.
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
