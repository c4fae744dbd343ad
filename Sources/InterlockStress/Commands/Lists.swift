import Reports
import StressRunner

extension World {
  /// What `list` prints: subjects by family, scenarios, benches.
  func listText(_ options: Options) throws(ScenarioErrors) -> String {
    let files = try loadScenarios(options)
    var sections: [String] = []
    var families: [String?] = []
    for subject in subjects where !families.contains(subject.family) {
      families.append(subject.family)
    }
    for family in families {
      let title = family.map { "SUBJECTS of \(escaped($0))" } ?? "SUBJECTS"
      sections.append(
        section(
          title, subjects.filter { $0.family == family }.map { ($0.name, summary(of: $0)) }))
    }
    sections.append(
      section(
        "SCENARIOS (\(escaped(folder(options))))",
        files.map { ($0.scenario.name, $0.scenario.summary) }))
    if !benches.isEmpty {
      sections.append(section("BENCHES", benches.map { ($0.name, $0.summary) }))
    }
    return sections.joined(separator: "\n")
  }

  /// What `recipes` prints: a row for each known bug that a scenario reproduces, with its source.
  func recipesText(_ options: Options) throws(ScenarioErrors) -> String {
    let scenarios = try loadScenarios(options).map(\.scenario)
    let rows = scenarios.compactMap { scenario in
      scenario.recipe.map { recipe -> [String] in
        func verdict(_ subject: String) -> String {
          "\(subject): \(expectationText(scenario.expectation(for: subject)))"
        }
        return [
          recipe.id, recipe.system, recipe.design, recipe.bug, verdict(recipe.asShipped),
          recipe.repaired.map(verdict) ?? "none known", scenario.name,
        ]
      }
    }
    guard !rows.isEmpty else { return "no scenario has a recipe\n" }
    let header = ["ID", "SYSTEM", "DESIGN", "BUG", "AS SHIPPED", "REPAIRED", "SCENARIO"]
    let all = [header] + rows.sorted { Self.precedes($0[0], $1[0]) }
    let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    let lines = all.map { row in
      row.enumerated().map { column, text in
        column == row.count - 1
          ? text : text + String(repeating: " ", count: widths[column] - text.count)
      }.joined(separator: "  ")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// `TM-2` before `TM-10`, by letters and then by number.
  private static func precedes(_ one: String, _ other: String) -> Bool {
    func split(_ id: String) -> (String, Int) {
      let parts = id.split(separator: "-", maxSplits: 1)
      return (parts.first.map(String.init) ?? "", parts.dropFirst().first.flatMap { Int($0) } ?? 0)
    }
    return split(one) < split(other)
  }

  private func summary(of subject: SubjectEntry) -> String {
    subject.summary + (subject.missing.map { " (skipped: \($0))" } ?? "")
  }

  private func section(_ title: String, _ entries: [(name: String, summary: String)]) -> String {
    let width = entries.map(\.name.count).max() ?? 0
    let lines = entries.map { entry in
      "  " + entry.name + String(repeating: " ", count: width - entry.name.count + 2)
        + entry.summary
    }
    return ([title + ":"] + lines).joined(separator: "\n") + "\n"
  }
}
