import Explorer
import Findings
import Interlock
import StressRunner

/// The order that failed, as a table of a page with a column for each thread.
struct ScheduleMarkup {
  /// The most steps and threads that are shown; the rest is counted.
  private static let mostSteps = 400
  private static let mostThreads = 40

  /// The most places whose source lines are shown.
  private static let mostPlaces = 6

  private let failure: ExplorationFailure?
  private let excerpt: SourceExcerpt?

  /// Creates the table of a trial's failed order, with source lines if these can be read.
  init(_ result: TrialResult, _ excerpt: SourceExcerpt? = nil) {
    self.excerpt = excerpt
    failure = if case .explored(let failure) = result.verdict { failure } else { nil }
  }

  /// The source lines of the calls in which threads wait; if none waits, of the last step with a
  /// source line.
  private func sources(_ schedule: Schedule) -> String {
    let ends =
      schedule.blocked.isEmpty
      ? schedule.steps.last { $0.place?.hasLine == true }.map { [$0] } ?? [] : schedule.blocked
    var seen: Set<String> = []
    let shown = ends.compactMap { step -> String? in
      guard let place = step.place, seen.insert(place.description).inserted else { return nil }
      let lines = excerpt?.html(place) ?? ""
      guard !lines.isEmpty else { return nil }
      let title = "\(Schedule.name(step.thread)): \(step.operation)"
      return "<div class=\"side\">\n<h4>\(Markup.text(title))</h4>\n\(lines)</div>\n"
    }
    guard !shown.isEmpty else { return "" }
    return "<div class=\"sides\">\n" + shown.prefix(Self.mostPlaces).joined() + "</div>\n"
  }

  /// The table with its heading; empty if no order failed.
  var html: String {
    guard let failure, !failure.schedule.steps.isEmpty else { return "" }
    let steps = failure.schedule.steps
    let shown = steps.prefix(Self.mostSteps)
    let threads = Set(shown.map(\.thread)).sorted().prefix(Self.mostThreads)
    func row(_ cells: [String], _ tag: String) -> String {
      "<tr>" + cells.map { "<\(tag)>\(Markup.text($0))</\(tag.prefix(2))>" }.joined() + "</tr>\n"
    }
    let rows = shown.map { step in
      row(threads.map { $0 == step.thread ? failure.schedule.text(step) : "" }, "td")
    }
    let left = failure.schedule.stepCount - shown.count
    var rest = left > 0 ? "<p>… and \(left) more steps.</p>\n" : ""
    if !failure.schedule.blocked.isEmpty {
      rest += "<p>No thread can continue:</p>\n"
      rest += Markup.list(failure.schedule.waits)
    }
    rest += sources(failure.schedule)
    return """
      <h3>The order that fails</h3>
      <div class="scroll" tabindex="0" role="region" aria-label="The order that fails">
      <table class="interleaving">
      <caption>Time runs downwards, a column for each thread</caption>
      <thead>\(row(threads.map(Schedule.name), "th scope=\"col\""))</thead>
      <tbody>
      \(rows.joined())</tbody>
      </table>
      </div>

      """ + rest
  }
}
