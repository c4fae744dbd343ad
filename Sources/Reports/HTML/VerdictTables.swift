import StressRunner

/// The verdicts of a run as tables of a page: subjects × scenarios for scenarios without a list of
/// subjects, and a line for each of the other scenarios.
struct VerdictTables {
  /// A scenario and a subject.
  struct Pair: Hashable {
    var scenario: String
    var subject: String

    init(_ trial: Trial) { self.init(scenario: trial.scenario.name, subject: trial.subject) }

    init(scenario: String, subject: String) {
      self.scenario = scenario
      self.subject = subject
    }
  }

  private let trials: [Trial]
  private let results: [TrialResult]
  /// The indices of each pair's results. Copies would take as much memory as all results.
  private let places: [Pair: [Int]]
  private let sections: [Pair: String]

  /// Sorts results into cells.
  ///
  /// - Parameters:
  ///   - results: The results in any order. Pairs without results stay empty.
  ///   - trials: The planned trials, which determine the order.
  ///   - sections: The ids of the sections that explain a pair.
  init(_ results: [TrialResult], of trials: [Trial], sections: [Pair: String]) {
    self.trials = trials
    self.results = results
    places = Dictionary(grouping: results.indices) { Pair(results[$0].trial) }
    self.sections = sections
  }

  /// The tables, without a heading.
  var html: String { matrix + list }

  /// A verdict with the sign of its expectation.
  static func badge(_ result: TrialResult) -> String {
    let met = result.isMet
    return "<strong class=\"\(className(met))\">\(sign(met: met)) "
      + "\(Markup.text(verdictText(result.verdict)))</strong>"
  }

  static func className(_ met: Bool?) -> String {
    switch met {
    case true?: "met"
    case false?: "unmet"
    case nil: "skipped"
    }
  }

  private var matrix: String {
    let shown = trials.filter { $0.scenario.subjects == nil }
    guard !shown.isEmpty else { return "" }
    let scenarios = Self.unique(shown.map(\.scenario.name))
    let subjects = Self.unique(shown.map(\.subject))
    let head = scenarios.map { "<th scope=\"col\">\(Markup.text($0))</th>" }.joined()
    let rows = subjects.map { subject in
      "<tr><th scope=\"row\">\(Markup.text(subject))</th>"
        + scenarios.map { scenario in
          // On a narrow screen a row becomes a list, in which each cell names its scenario.
          "<td data-label=\"\(Markup.text(scenario))\">"
            + "\(cell(Pair(scenario: scenario, subject: subject)))</td>"
        }.joined()
        + "</tr>\n"
    }
    return Self.table(
      "Scenarios for every subject", "matrix", "<th scope=\"col\">subject</th>" + head,
      rows.joined())
  }

  private var list: String {
    let shown = Self.unique(trials.filter { $0.scenario.subjects != nil }.map(Pair.init))
    guard !shown.isEmpty else { return "" }
    let rows = shown.map { pair in
      "<tr><th scope=\"row\">\(Markup.text(pair.scenario))</th>"
        + "<td>\(Markup.text(pair.subject))</td><td>\(cell(pair))</td></tr>\n"
    }
    let head = ["scenario", "subject", "verdict"].map { "<th scope=\"col\">\($0)</th>" }.joined()
    return Self.table("Scenarios for some subjects", "pairs", head, rows.joined())
  }

  private static func table(
    _ caption: String, _ name: String, _ head: String, _ rows: String
  ) -> String {
    """
    <div class="scroll" tabindex="0" role="region" aria-label="\(caption)">
    <table class="\(name)">
    <caption>\(caption)</caption>
    <thead><tr>\(head)</tr></thead>
    <tbody>
    \(rows)</tbody>
    </table>
    </div>

    """
  }

  private func cell(_ pair: Pair) -> String {
    guard let cell = VerdictCell(of: (places[pair] ?? []).map { results[$0] }) else {
      return trials.contains { Pair($0) == pair }
        ? "<span class=\"skipped\">not judged</span>" : "·"
    }
    let text = "<span class=\"\(Self.className(cell.met))\">\(Markup.text(cell.text))</span>"
    return sections[pair].map { "<a href=\"#\($0)\">\(text), why</a>" } ?? text
  }

  private static func unique<Value: Hashable>(_ values: [Value]) -> [Value] {
    var seen: Set<Value> = []
    return values.filter { seen.insert($0).inserted }
  }
}
