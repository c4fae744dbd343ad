import HangReports
import Hangs

/// A picture of a diagnosis's wait-for graph: labelled arrows, and boxes that link to their
/// descriptions below.
///
/// Parts of the cause are thicker and coloured, and labelled as such.
struct GraphDrawing {
  /// The most nodes that are drawn.
  static let mostNodes = 200

  /// The most edges with which labels avoid lines and not only other labels.
  private static let mostLinesLookedAt = 60
  /// The number of characters of a title that fit into a box.
  private static let titleLength = 31

  private let cause: Diagnosis.Cause
  private let total: Int
  private let nodes: ArraySlice<Explanation.Node>
  private let edges: [(edge: Explanation.Edge, link: GraphLayout.Link)]
  private let layout: GraphComponents
  private let prefix: String

  /// Lays out a graph.
  ///
  /// - Parameters:
  ///   - graph: The graph to draw.
  ///   - cause: The cause, which names the marked part.
  ///   - prefix: A prefix for the ids of this picture's parts, to keep them unique on the page.
  init(_ graph: FoldedGraph, _ cause: Diagnosis.Cause, prefix: String) {
    self.cause = cause
    self.prefix = prefix
    total = graph.nodes.count
    let nodes = graph.nodes.prefix(Self.mostNodes)
    var numbers: [String: Int] = [:]
    for (number, node) in nodes.enumerated() where numbers[node.id] == nil {
      numbers[node.id] = number
    }
    let edges = graph.edges.compactMap { edge in
      numbers[edge.from].flatMap { from in
        numbers[edge.to].map { (edge, GraphLayout.Link(from: from, to: $0)) }
      }
    }
    layout = GraphComponents(nodes: nodes.count, links: edges.map { $0.1 })
    self.nodes = nodes
    self.edges = edges
  }

  /// The number of nodes that are not drawn.
  var left: Int { total - nodes.count }

  /// The picture as an element of a page.
  var svg: String {
    let width = Markup.number(layout.width)
    let height = Markup.number(layout.height)
    // Not an image for a screen reader: the boxes are links.
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" class="graph" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" role="group" aria-labelledby="\(prefix)-title \
      \(prefix)-desc">
      <title id="\(prefix)-title">The wait-for graph</title>
      <desc id="\(prefix)-desc">\(Markup.text(description))</desc>
      <defs>
      \(Self.arrow(id: "\(prefix)-arrow", name: "arrow"))
      \(Self.arrow(id: "\(prefix)-marked-arrow", name: "arrow marked"))
      </defs>

      """
    // Draw marked parts last, on top of the rest.
    let order =
      edges.indices.filter { !edges[$0].edge.isMarked }
      + edges.indices.filter { edges[$0].edge.isMarked }
    for number in order { text += line(number) }
    text += labels
    for (number, node) in nodes.enumerated() { text += box(node, number) }
    return text + "</svg>\n"
  }

  /// The picture's content as text.
  private var description: String {
    let marked = nodes.count { $0.isMarked }
    let ways = edges.map { edge in
      "\(title(edge.link.from)) \(edge.edge.label) \(title(edge.link.to))"
    }
    let shown = ways.prefix(40).joined(separator: "; ")
    let rest = ways.count > 40 ? "; and \(ways.count - 40) more" : ""
    return "\(nodes.count) nodes, \(marked) of them part of the cause. \(shown)\(rest)"
  }

  private func title(_ number: Int) -> String {
    Markup.cut(nodes[nodes.startIndex + number].title, to: 80)
  }

  private static func arrow(id: String, name: String) -> String {
    """
    <marker id="\(id)" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="11" markerHeight="11" \
    markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path class="\(name)" d="M0 0L10 5L0 \
    10z"/></marker>
    """
  }

  private func line(_ number: Int) -> String {
    let edge = edges[number].edge
    let name = edge.isMarked ? "edge marked" : "edge"
    let marker = edge.isMarked ? "marked-arrow" : "arrow"
    return """
      <path class="\(name)" d="\(path(number))" \
      marker-end="url(#\(prefix)-\(marker))"/>

      """
  }

  private func path(_ number: Int) -> String {
    EdgePath.data(
      layout.routes[number], from: layout.nodes[edges[number].link.from],
      isSideways: layout.isSideways[number])
  }

  /// The labels of all edges, each along its edge.
  private var labels: String {
    var text = ""
    var taken: [EdgePath.Box] = []
    // In a large graph most labels are not read, and checking all lines for each of them takes
    // long.
    let lines =
      edges.count > Self.mostLinesLookedAt
      ? []
      : edges.indices.map {
        EdgePath.samples(layout.routes[$0], isSideways: layout.isSideways[$0])
      }
    for (number, (edge, link)) in edges.enumerated() {
      let label = Markup.cut(edge.label, to: 24)
      let box = EdgePath.label(
        label, layout.routes[number], from: layout.nodes[link.from],
        isSideways: layout.isSideways[number], besides: taken,
        lines: lines.indices.filter { $0 != number }.flatMap { lines[$0] })
      taken.append(box)
      text += """
        <text class="\(edge.isMarked ? "label marked" : "label")" \
        x="\(Markup.number(box.middle.x))" \
        y="\(Markup.number(box.middle.y + 4))">\(Markup.text(label))</text>

        """
    }
    return text
  }

  private func box(_ node: Explanation.Node, _ number: Int) -> String {
    let corner = layout.nodes[number]
    let measures = GraphLayout.Measures()
    let round = Self.roundness(node.kind)
    let kind =
      HangSection.kindText(node) + (node.isMarked ? ", \(HangSection.mark(cause))" : "")
    let place = node.place.map(HangSection.placeText) ?? node.details.first ?? ""
    let size =
      "width=\"\(Markup.number(measures.nodeWidth))\" height=\"\(Markup.number(measures.nodeHeight))\""
    var lines = ""
    var y = 38
    for line in Self.titleLines(node.title) {
      lines += "<text class=\"title\" x=\"14\" y=\"\(y)\">\(Markup.text(line))</text>\n"
      y += 16
    }
    lines += "<text class=\"place\" x=\"14\" y=\"\(y + 2)\">"
    lines += "\(Markup.text(Markup.cut(place, to: 36)))</text>\n"
    return """
      <a href="#\(HangSection.nodeName(prefix, number))" class="node \
      \(node.kind.rawValue)\(node.isMarked ? " marked" : "")" \
      transform="translate(\(Markup.number(corner.x)) \(Markup.number(corner.y)))">
      <title>\(([kind, node.title] + node.details).map(Markup.text).joined(separator: "\n"))</title>
      <rect \(size) rx="\(round)"/>
      <svg \(size)>
      <text class="kind" x="14" y="20">\(Markup.text(kind))</text>
      \(lines)</svg>
      </a>

      """
  }

  /// A title in at most two lines.
  private static func titleLines(_ title: String) -> [String] {
    let lines = wrapped(title, width: titleLength)
    guard lines.count > 2 else { return lines }
    return [lines[0], Markup.cut(lines.dropFirst().joined(separator: " "), to: titleLength)]
  }

  /// The corner radius of a node's box. Nodes that act are round, resources are not.
  private static func roundness(_ kind: Diagnosis.Node.Kind) -> Int {
    switch kind {
    case .thread, .task: 12
    case .queue, .pool, .blocks: 4
    case .lock, .semaphore, .group, .condition, .other: 0
    }
  }
}
