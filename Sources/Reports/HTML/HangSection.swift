import HangReports
import Interlock
import StressRunner
import Hangs

/// The section of a page about a trial that hung: the reason, the picture, its parts, and the
/// earlier activity of the threads.
struct HangSection {
  /// The most arrows that are listed as text.
  private static let mostLines = 100

  private let trial: ExplainedTrial
  private let diagnosis: Explanation
  private let graph: FoldedGraph
  private let excerpt: SourceExcerpt
  private var name: String { trial.name }
  private var result: TrialResult { trial.result }

  /// Describes a trial.
  ///
  /// - Parameters:
  ///   - trial: The trial and its result.
  ///   - diagnosis: The diagnosis, with the parts to draw.
  ///   - excerpt: Shows source lines.
  init(_ trial: ExplainedTrial, _ diagnosis: Explanation, _ excerpt: SourceExcerpt) {
    self.trial = trial
    self.diagnosis = diagnosis
    self.excerpt = excerpt
    graph = FoldedGraph(diagnosis)
  }

  /// The section.
  var html: String {
    let drawing = GraphDrawing(graph, diagnosis.cause, prefix: name)
    return trial.head + """
      <p class="headline">\(Markup.text(diagnosis.headline))</p>
      \(certainty)\(Markup.list(diagnosis.details))
      """ + sourceOfSelfWait + advice + """
        <p class="told">\(Markup.text(result.message))</p>
        <p class="told">\(Markup.text(progress))</p>
        <h3>The wait-for graph</h3>
        \(legend)<div class="scroll" tabindex="0" role="region" aria-label="The picture of the \
        wait-for graph">
        \(drawing.svg)</div>
        \(left(drawing.left))\(inWords)<h3>One by one</h3>
        <p>Parts of the cause come first. Each box of the picture links to its entry here.</p>

        """ + graph.nodes.enumerated().map { details($0.element, $0.offset) }.joined()
      + timeline + EvidenceMarkup(result, excerpt).html + trial.foot
  }

  private var progress: String {
    EvidenceFormatter.progress(of: result)
  }

  /// The picture's arrows as lines of text, for a screen too narrow for the picture.
  private var inWords: String {
    let titles = Dictionary(
      graph.nodes.map { ($0.id, $0.title) }, uniquingKeysWith: { first, _ in first })
    let order = graph.edges.filter(\.isMarked) + graph.edges.filter { !$0.isMarked }
    let lines = order.prefix(Self.mostLines).compactMap { edge in
      titles[edge.from].flatMap { from in titles[edge.to].map { "\(from) \(edge.label) \($0)" } }
    }
    guard !lines.isEmpty else { return "" }
    return "<details>\n<summary>The picture in words</summary>\n\(Markup.list(lines))</details>\n"
  }

  private var certainty: String {
    diagnosis.isCertain
      ? "<p>Certain: nothing that the process could still do ends it.</p>\n"
      : "<p><strong>Judged by the stall window</strong>: likely, not certain.</p>\n"
  }

  /// The source of a call that waits for its own thread, and of the call that it waits for. The
  /// process ended before its stacks could be captured.
  private var sourceOfSelfWait: String {
    guard let wait = result.observation.waits?.selfWait else { return "" }
    let again = excerpt.html(wait.place)
    let first = excerpt.html(wait.firstPlace)
    return again == first ? again : again + first
  }

  private var advice: String {
    diagnosis.advice.isEmpty ? "" : "<h3>What would free it</h3>\n" + Markup.list(diagnosis.advice)
  }

  private var legend: String {
    """
    <p class="legend">Thick, coloured, and marked “\(Self.mark(diagnosis.cause))”: the parts \
    of the cause. Threads and tasks are round; what they wait for has corners.</p>

    """
  }

  private func left(_ count: Int) -> String {
    count > 0 ? "<p>… and \(count) more, which are not drawn.</p>\n" : ""
  }

  private var timeline: String {
    let all = trial.diagnosis?.nodes ?? []
    let shown = Set(diagnosis.nodes.map(\.id))
    let gone = Set(all.map(\.id).filter { !shown.contains($0) })
    let activity = (result.observation.waits?.activity ?? []).filter {
      !gone.contains(Diagnosis.Node.ID.party(.thread($0.thread)).description)
    }
    guard !activity.isEmpty else { return "" }
    let timeline = Timeline(activity, diagnosis, prefix: name)
    return """
      <h3>The threads up to the hang</h3>
      \(timeline.legend)\(timeline.svg)

      """
  }

  private func details(_ node: Explanation.Node, _ number: Int) -> String {
    let mark = node.isMarked ? " <em>\(Self.mark(diagnosis.cause))</em>" : ""
    var inside = Markup.list(node.details)
    if let place = node.place {
      inside += "<p>Line: <code>\(Markup.text(Self.placeText(place)))</code></p>\n"
      inside += excerpt.html(place)
    }
    if !node.stack.isEmpty {
      inside += "<p>Stack, innermost first:</p>\n" + EvidenceMarkup.stack(node.stack)
    }
    let alike = graph.alike[number]
    if !alike.isEmpty {
      inside += "<p>Alike:</p>\n" + Markup.list(alike)
    }
    if inside.isEmpty { inside = "<p>Nothing more is known of it.</p>\n" }
    return """
      <details id="\(Self.nodeName(name, number))"\(node.isMarked ? " class=\"marked\"" : "")>
      <summary>\(Markup.text(node.title)) <span \
      class="kind">\(Self.kindText(node))</span>\(mark)</summary>
      \(inside)</details>

      """
  }
}

extension HangSection {
  /// The id of a node's description.
  static func nodeName(_ prefix: String, _ number: Int) -> String { "node-\(prefix)-\(number)" }

  /// `thread`, or `blocks × 996` if the node stands for several.
  static func kindText(_ node: Explanation.Node) -> String {
    node.kind.rawValue + (node.count > 1 ? " × \(node.count)" : "")
  }

  /// The label of a part of the cause.
  static func mark(_ cause: Diagnosis.Cause) -> String {
    switch cause {
    case .cycle: "in the cycle"
    case .self: "waits for itself"
    case .starvation: "of the dry pool"
    case .lostWakeUp, .suspended: "never woken"
    case .abandonedLock: "left locked"
    case .unknown: "stuck"
    }
  }

  /// `Bank.swift:21  transfer(to:)`
  static func placeText(_ frame: StackFrame) -> String {
    guard let file = frame.file, let line = frame.line, line > 0 else { return frame.description }
    let base = file.split(separator: "/").last.map(String.init) ?? file
    return "\(base):\(line)" + (frame.function.map { "  " + $0 } ?? "")
  }
}
