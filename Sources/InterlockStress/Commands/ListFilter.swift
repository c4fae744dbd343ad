import Prediction
import StressRunner
import WaitForGraph

/// What `list` shows: all there is, or what has the texts, families and tags that are asked for.
struct ListFilter {
  /// The subjects that are shown, in their order.
  private(set) var subjects: [SubjectEntry] = []
  /// The names and summaries of the scenarios that are shown, in their order.
  private(set) var scenarios: [(name: String, summary: String)] = []

  private let texts: [String]
  private let isByTrial: Bool

  /// Picks what is shown.
  ///
  /// By family and tag, a scenario and a subject are shown where they are tried together and have
  /// them all: the tags of a trial are those of its scenario and of what that expects of its
  /// subject.
  ///
  /// - Throws: A family or a tag that nothing has, with the nearest there is.
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
        "There is no tag '\(printable(tag))': \(suggestion(for: tag, among: known.sorted()))",
        .list)
    }
    if options.tags.isEmpty {
      // A subject of the family may have no scenario.
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

  /// Those of some entries that are shown, if they belong to no scenario.
  func others(_ entries: [(name: String, summary: String)]) -> [(name: String, summary: String)] {
    isByTrial ? [] : entries.filter { has($0.name, $0.summary) }
  }

  private func has(_ name: String, _ summary: String) -> Bool {
    guard !texts.isEmpty else { return true }
    let all = "\(name)\n\(summary)".lowercased()
    return texts.allSatisfy(all.contains)
  }

  /// The driver or `script`, and the folder within the folder of scenarios.
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
