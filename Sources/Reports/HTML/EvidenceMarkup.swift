import Findings
import Interlock
import ProcessInspection
import StressRunner

/// The evidence of a trial on a page: everything that the terminal shows with `--verbose`, and the
/// source lines around each call site.
struct EvidenceMarkup {
  /// The number of items of each kind that are shown; the rest is counted.
  private static let most = 100

  private let result: TrialResult
  private let excerpt: SourceExcerpt

  init(_ result: TrialResult, _ excerpt: SourceExcerpt) {
    self.result = result
    self.excerpt = excerpt
  }

  /// All parts, each below its own heading.
  var html: String {
    let seen = result.observation
    let oracles = EvidenceFormatter.oracles(of: result)
    return ScheduleMarkup(result, excerpt).html + part("What did not hold", Markup.list(oracles))
      + part("Misuses of sections", Markup.list(seen.misuses))
      + part("The interleaving", interleaving)
      + seen.conflicts.prefix(Self.most).map(conflict).joined()
      + rest(seen.conflicts.count, "conflicts") + memory + crash + threads + output
  }

  /// A stack, innermost frame first.
  static func stack(_ stack: [StackFrame], note: String? = nil) -> String {
    let frames = stack.map { "<li><code>\(Markup.text($0.description))</code></li>\n" }
    let list =
      frames.isEmpty ? "" : "<ol class=\"stack\" start=\"0\">\n\(frames.joined())</ol>\n"
    return list + (note.map { "<p>(\(Markup.text($0)))</p>\n" } ?? "")
  }

  private func part(_ heading: String, _ inside: String) -> String {
    inside.isEmpty ? "" : "<h3>\(Markup.text(heading))</h3>\n" + inside
  }

  private func rest(_ count: Int, _ what: String) -> String {
    count > Self.most ? "<p>… and \(count - Self.most) more \(what).</p>\n" : ""
  }

  private var interleaving: String {
    guard let record = result.observation.script, let script = result.trial.scenario.workload.script
    else { return "" }
    let table = InterleavingTable(record, of: script)
    func row(_ cells: [String], _ tag: String) -> String {
      "<tr>" + cells.map { "<\(tag)>\(Markup.text($0))</\(tag.prefix(2))>" }.joined() + "</tr>\n"
    }
    let rows = table.rows.prefix(Self.most).map { passage in
      row(table.columns.indices.map { $0 == passage.column ? passage.text : "" }, "td")
    }
    return """
      <table class="interleaving">
      <caption>Time runs downwards, a column for each caller</caption>
      <thead>\(row(table.columns, "th scope=\"col\""))</thead>
      <tbody>
      \(rows.joined())</tbody>
      </table>

      """ + rest(table.rows.count, "steps")
        + (record.givenUp.map { "<p>the order was given up: \(Markup.text($0))</p>\n" } ?? "")
  }

  private func conflict(_ conflict: Conflict) -> String {
    let times = conflict.count > 1 ? ", \(conflict.count) times" : ""
    var after = [conflict.heldOpen?.description, conflict.meaning].compactMap { $0 }
    if let witness = conflict.witness {
      after = ["before: \(witness.before)", "after: \(witness.after)"] + after
    }
    return part(
      "Conflict on '\(conflict.fullName)'\(times)",
      "<div class=\"sides\">\n" + EvidenceFormatter.sides(conflict).map(side).joined() + "</div>\n"
        + after.map { "<p>\(Markup.text($0))</p>\n" }.joined())
  }

  private func side(_ title: String, _ side: Conflict.Side) -> String {
    """
    <div class="side">
    <h4>\(Markup.text("\(title): \(side.claim)"))</h4>
    <p><code>\(Markup.text(side.place.description))</code></p>
    <p>\(Markup.text(side.owner))</p>
    \(excerpt.html(side))\(Self.stack(side.stack, note: side.stackNote))</div>

    """
  }

  private var memory: String {
    guard let record = result.observation.memory else { return "" }
    let all = record.races + record.undecided
    let races = all.prefix(Self.most).map { race in
      part(
        "Race in memory" + (race.isDecided ? "" : ", not decided"),
        "<div class=\"sides\">\n" + side("first", race.first) + side("second", race.second)
          + "</div>\n<p>\(Markup.text(race.meaning))</p>\n")
    }
    return races.joined() + rest(all.count, "races")
      + (record.lostBecause.map {
        "<p>Races in memory were no longer looked for: \(Markup.text($0))</p>\n"
      } ?? "")
  }

  private func side(_ title: String, _ side: MemoryRace.Side) -> String {
    """
    <div class="side">
    <h4>\(Markup.text("\(title): \(side.access)"))</h4>
    <p><code>\(Markup.text(side.place.description))</code></p>
    <p>\(Markup.text(side.owner))</p>
    \(Markup.list(side.lockLines))\(excerpt.html(side.place))\(Self.stack(side.stack))</div>

    """
  }

  private var crash: String {
    guard let crash = result.observation.crash else { return "" }
    return part(
      "Crash: \(crash.reason)", excerpt.html(crash.stack) + Self.stack(crash.stack))
  }

  private var threads: String {
    let seen = result.observation
    var inside = ""
    if !seen.threadCounts.isEmpty {
      let counts = EvidenceFormatter.threadCounts(seen.threadCounts)
      inside += "<p>threads over time: \(Markup.text(counts))</p>\n"
    }
    if !seen.threads.isEmpty {
      inside += "<p>threads at the end: \(seen.threads.reduce(0) { $0 + $1.count })</p>\n"
    }
    inside += seen.threads.prefix(Self.most).map { group in
      let title = "\(group.count) × '\(group.name)', \(group.state)"
      return """
        <details>
        <summary>\(Markup.text(title))</summary>
        \(Self.stack(group.stack))</details>

        """
    }.joined()
    return part("Threads", inside + rest(seen.threads.count, "groups of threads"))
  }

  private var output: String {
    let lines = result.observation.errorOutput.split(separator: "\n")
    guard !lines.isEmpty else { return "" }
    let text = lines.suffix(Self.most).map { Markup.text(harmless($0)) }.joined(separator: "\n")
    return part("The last of its standard error", "<pre><code>\(text)</code></pre>\n")
  }
}
