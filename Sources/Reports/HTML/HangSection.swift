import Interlock
import StressRunner
import WaitGraph

/// What a page says of one trial that could not go on: why, the picture, its parts one by one, and what the threads
/// did before.
struct HangSection {
  private let result: TrialResult
  private let diagnosis: Diagnosis
  private let graph: FoldedGraph
  private let name: String
  private let note: String
  private let replay: String

  /// Describes a trial.
  ///
  /// - Parameters:
  ///   - result: What was found of it.
  ///   - diagnosis: Why.
  ///   - name: The name of the section on its page.
  ///   - note: How often its like was seen; empty where there was one trial.
  ///   - replay: The command that runs it again.
  init(
    _ result: TrialResult, _ diagnosis: Diagnosis, name: String, note: String, replay: String
  ) {
    self.result = result
    self.diagnosis = diagnosis
    graph = FoldedGraph(diagnosis)
    self.name = name
    self.note = note
    self.replay = replay
  }

  /// The section.
  var html: String {
    let drawing = GraphDrawing(graph, diagnosis.cause, prefix: name)
    return """
      <section id="\(name)" aria-labelledby="\(name)-heading">
      <h2 id="\(name)-heading">\(Markup.text(heading))</h2>
      <p class="verdict">\(VerdictTables.badge(result))\(Markup.text(expected + note))</p>
      <p class="headline">\(Markup.text(diagnosis.headline))</p>
      \(certainty)\(Markup.list(diagnosis.details))
      """ + advice + """
        <p class="told">\(Markup.text(result.verdict.message))</p>
        <h3>Who waits for whom</h3>
        \(legend)<div class="scroll" tabindex="0" role="region" aria-label="The picture of the wait-for graph">
        \(drawing.svg)</div>
        \(left(drawing.left))<h3>One by one</h3>
        <p>What is a part of the cause comes first. A box of the picture leads here.</p>

        """ + graph.nodes.enumerated().map { details($0.element, $0.offset) }.joined()
        + timeline + """
          <h3>Again</h3>
          <pre class="scroll" tabindex="0"><code>\(Markup.text(replay))</code></pre>
          </section>

          """
  }

  private var heading: String { "\(result.trial.scenario.name) on \(result.trial.subject)" }

  private var expected: String {
    result.isMet == false ? ", expected \(expectationText(result.expected))" : ", as expected"
  }

  private var certainty: String {
    diagnosis.isCertain
      ? "<p>Certain: nothing that the process could still do ends it.</p>\n"
      : "<p><strong>Judged by the stall window</strong>: likely, not certain.</p>\n"
  }

  private var advice: String {
    diagnosis.advice.isEmpty ? "" : "<h3>What would free it</h3>\n" + Markup.list(diagnosis.advice)
  }

  private var legend: String {
    """
    <p class="legend">Thick, coloured, and marked “\(Self.mark(diagnosis.cause))”: what the hang is made of. Who acts \
    is round, what is waited for has corners.</p>

    """
  }

  private func left(_ count: Int) -> String {
    count > 0 ? "<p>… and \(count) more, which are not drawn.</p>\n" : ""
  }

  private var timeline: String {
    let activity = result.observation.waits?.activity ?? []
    guard !activity.isEmpty else { return "" }
    let timeline = Timeline(activity, diagnosis, prefix: name)
    return """
      <h3>The threads up to the hang</h3>
      \(timeline.legend)<div class="scroll" tabindex="0" role="region" aria-label="The time line of the threads">
      \(timeline.svg)</div>

      """
  }

  private func details(_ node: Diagnosis.Node, _ number: Int) -> String {
    let mark = node.isMarked ? " <em>\(Self.mark(diagnosis.cause))</em>" : ""
    var inside = Markup.list(node.details)
    if let place = node.place {
      inside += "<p>Line: <code>\(Markup.text(Self.placeText(place)))</code></p>\n"
    }
    if !node.stack.isEmpty {
      let frames = node.stack.map { "<li><code>\(Markup.text($0.description))</code></li>\n" }
      inside +=
        "<p>Stack, innermost first:</p>\n<ol class=\"stack\" start=\"0\">\n"
        + frames.joined() + "</ol>\n"
    }
    let alike = graph.alike[number]
    if !alike.isEmpty {
      inside += "<p>Alike:</p>\n" + Markup.list(alike)
    }
    if inside.isEmpty { inside = "<p>Nothing more is known of it.</p>\n" }
    return """
      <details id="\(Self.nodeName(name, number))"\(node.isMarked ? " class=\"marked\"" : "")>
      <summary>\(Markup.text(node.title)) <span class="kind">\(Self.kindText(node))</span>\(mark)</summary>
      \(inside)</details>

      """
  }
}

extension HangSection {
  /// The name of what is said of a node.
  static func nodeName(_ prefix: String, _ number: Int) -> String { "node-\(prefix)-\(number)" }

  /// `thread`, `blocks, 996 of them`
  static func kindText(_ node: Diagnosis.Node) -> String {
    node.kind.rawValue + (node.count > 1 ? " × \(node.count)" : "")
  }

  /// What a part of the cause is called.
  static func mark(_ cause: Diagnosis.Cause) -> String {
    switch cause {
    case .cycle: "in the cycle"
    case .self: "waits for itself"
    case .starvation: "of the dry pool"
    case .lostWakeUp, .suspended: "never woken"
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
