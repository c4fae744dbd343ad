import Comparison
import Reports
import StressRunner

extension World {
  /// What `list` prints: subjects by family, scenarios, strategies, benches; those that the texts
  /// and options ask for.
  func listText(_ texts: [String], _ options: Options) throws -> String {
    let filter = try ListFilter(
      texts, options, subjects: subjects, files: loadScenarios(options), folder: folder(options))
    var sections: [String] = []
    var families: [String?] = []
    for subject in filter.subjects where !families.contains(subject.family) {
      families.append(subject.family)
    }
    for family in families {
      let title = family.map { "SUBJECTS of \(escaped($0))" } ?? "SUBJECTS"
      sections.append(
        section(
          title, filter.subjects.filter { $0.family == family }.map { ($0.name, summary(of: $0)) }))
    }
    let others = [
      ("SCENARIOS (\(escaped(folder(options))))", filter.scenarios),
      ("STRATEGIES of 'compare'", filter.others(strategies.map { ($0.name, $0.summary) })),
      ("BENCHES", filter.others(benches.map { ($0.name, $0.summary) })),
    ]
    for (title, entries) in others where !entries.isEmpty {
      sections.append(section(title, entries))
    }
    return sections.isEmpty ? "nothing matches\n" : sections.joined(separator: "\n")
  }

  /// What `recipes` prints: a table in Markdown, a row for each known bug that a scenario
  /// reproduces.
  ///
  /// The verdicts are those that `run` expects, and so those that the runner gives wherever the
  /// gate is green.
  func recipesText(_ options: Options) throws(ScenarioErrors) -> String {
    let scenarios = try loadScenarios(options).map(\.scenario)
    let rows = scenarios.compactMap { scenario in
      scenario.recipe.map { recipe -> (id: String, cells: [String]) in
        func verdict(_ subject: String) -> String {
          "\(expectationText(scenario.expectation(for: subject))) (`\(subject)`)"
        }
        return (
          recipe.id,
          [
            recipe.id, recipe.system, recipe.design, recipe.bug, verdict(recipe.asShipped),
            recipe.repaired.map(verdict) ?? "no fix known", scenario.source,
          ]
        )
      }
    }
    guard !rows.isEmpty else { return "no scenario has a recipe\n" }
    func line(_ cells: [String]) -> String {
      "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
    }
    return line(["bug", "system", "design", "what happens", "as shipped", "repaired", "source"])
      + line(Array(repeating: "---", count: 7))
      + rows.sorted { RecipeOrder($0.id) < RecipeOrder($1.id) }.map { line($0.cells) }.joined()
  }

  private func summary(of subject: SubjectEntry) -> String {
    subject.summary + (subject.missing.map { " (skipped: \($0))" } ?? "")
  }

  private func section(_ title: String, _ entries: [(name: String, summary: String)]) -> String {
    // A column as wide as the longest name, unless that is no name that is typed: each line would
    // be as long.
    let named = entries.map { name, summary in
      (name.utf8.count > 100 ? printable(name) : name, summary)
    }
    let width = named.map(\.0.count).max() ?? 0
    let lines = named.map { name, summary in
      "  " + name + String(repeating: " ", count: width - name.count + 2) + summary
    }
    return ([title + ":"] + lines).joined(separator: "\n") + "\n"
  }
}

/// `TM-2a` before `TM-2b`, and both before `TM-10`: by letters, then by number, then by what
/// follows.
private struct RecipeOrder: Comparable {
  private let letters: String
  private let number: Int
  private let rest: String

  init(_ id: String) {
    letters = String(id.prefix { !$0.isNumber })
    let digits = id.dropFirst(letters.count).prefix { $0.isNumber }
    number = Int(digits) ?? 0
    rest = String(id.dropFirst(letters.count + digits.count))
  }

  static func < (one: RecipeOrder, other: RecipeOrder) -> Bool {
    (one.letters, one.number, one.rest) < (other.letters, other.number, other.rest)
  }
}
