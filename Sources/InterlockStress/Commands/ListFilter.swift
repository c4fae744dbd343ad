import Findings
import Prediction
import StressRunner
import Hangs

/// The entries that `list` shows: all, or those that match the requested texts, families and tags.
struct ListFilter {
  /// The shown subjects, in their order.
  private(set) var subjects: [SubjectEntry] = []
  /// The names and summaries of the shown scenarios, in their order.
  private(set) var scenarios: [(name: String, summary: String)] = []

  private let texts: [String]
  private let isByTrial: Bool

  /// Selects the entries to show.
  ///
  /// With a family or tag, a scenario and a subject are shown if a trial of both has all requested
  /// families and tags. A trial has the tags of its scenario and of the scenario's expectation for
  /// the subject.
  ///
  /// - Throws: An unknown family or tag, with the nearest known one.
  init(
    _ texts: [String], _ options: Options, subjects: [SubjectEntry], files: [ScenarioFile],
    folder: String
  ) throws(UsageError) {
    self.texts = texts.map { $0.lowercased() }
    isByTrial = !options.families.isEmpty || !options.tags.isEmpty
    try RunPlan.checkFamilies(options, subjects, .list)
    var known: Set<String> = []
    var shownScenarios: Set<String> = []
    var shownSubjects: Set<String> = []
    for file in files {
      let scenario = file.scenario
      let tags = Self.tags(of: file, in: folder)
      for subject in subjects where RunPlan.isWanted(subject, in: scenario, options) {
        let tags = tags + Self.tags(of: scenario.expectation(for: subject.name))
        known.formUnion(tags)
        guard options.tags.allSatisfy(tags.contains) else { continue }
        shownScenarios.insert(scenario.name)
        shownSubjects.insert(subject.name)
      }
    }
    for tag in options.tags where !known.contains(tag) {
      throw UsageError(
        "There is no tag '\(printable(tag))'", Suggestion(for: tag, among: known.sorted()), .list)
    }
    if options.tags.isEmpty {
      // Add subjects of the family that have no scenario.
      shownSubjects.formUnion(
        subjects.filter { $0.family.map(options.families.contains) == true }.map(\.name))
    }
    self.subjects = subjects.filter {
      (!isByTrial || shownSubjects.contains($0.name)) && has($0.name, $0.summary)
    }
    scenarios = files.map(\.scenario).filter {
      (!isByTrial || shownScenarios.contains($0.name)) && has($0.name, $0.summary)
    }.map { ($0.name, $0.summary) }
  }

  /// The selected entries among those that belong to no scenario.
  func others(_ entries: [(name: String, summary: String)]) -> [(name: String, summary: String)] {
    isByTrial ? [] : entries.filter { has($0.name, $0.summary) }
  }

  private func has(_ name: String, _ summary: String) -> Bool {
    guard !texts.isEmpty else { return true }
    let all = "\(name)\n\(summary)".lowercased()
    return texts.allSatisfy(all.contains)
  }

  /// The driver or `script`, and the subfolder in the folder of scenarios.
  private static func tags(of file: ScenarioFile, in folder: String) -> [String] {
    let workload = file.scenario.workload
    let driver = workload.script == nil ? workload.driver.rawValue : "script"
    let parts = file.path.dropFirst(folder.count).split(separator: "/")
    return [driver] + parts.dropLast().map(String.init)
  }

  private static func tags(of expectation: Expectation) -> [String] {
    [expectation.verdict.rawValue] + (expectation.cause.map { [$0.rawValue] } ?? [])
      + (expectation.potential ?? []).map(\.rawValue)
  }
}
