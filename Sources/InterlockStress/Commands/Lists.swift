import Comparison
import Findings
import Reports
import StressRunner

extension World {
  /// The output of `list`: subjects by family, scenarios, strategies and benches, filtered by the
  /// texts and options.
  func listText(_ texts: [String], _ options: Options) throws -> String {
    let files = try loadScenarios(options)
    let filter = try ListFilter(
      texts, options, subjects: subjects, files: files, folder: folder(options))
    let hasOwn = files.contains { !$0.isBuiltIn }
    let hasBuiltIn = files.contains(where: \.isBuiltIn)
    let source = [hasOwn ? escaped(folder(options)) : nil, hasBuiltIn ? "built-in" : nil]
      .compactMap(\.self).joined(separator: ", ")
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
      ("SCENARIOS (\(source))", filter.scenarios),
      ("STRATEGIES of 'compare'", filter.others(strategies.map { ($0.name, $0.summary) })),
      ("BENCHES", filter.others(benches.map { ($0.name, $0.summary) })),
    ]
    for (title, entries) in others where !entries.isEmpty {
      sections.append(section(title, entries))
    }
    return sections.isEmpty ? "nothing matches\n" : sections.joined(separator: "\n")
  }

  /// The output of `recipes`: a Markdown table with a row for each known bug that a scenario
  /// reproduces.
  ///
  /// The verdicts are those that `run` expects, so they are the actual ones while the gate is
  /// green.
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
            recipe.repaired.map(verdict) ?? "no fix known", scenario.source ?? "",
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
    // Cut names that are too long to type: the column has the width of the longest name.
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

/// Sorts `TM-2a` before `TM-2b`, and both before `TM-10`: by letters, then by number, then by the
/// rest.
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
