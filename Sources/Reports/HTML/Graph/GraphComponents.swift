/// The connected parts of a graph, laid out separately, one below the other. Isolated nodes form
/// rows at the end.
struct GraphComponents {
  typealias Link = GraphLayout.Link
  typealias Point = GraphLayout.Point

  /// The maximum width of a row of isolated nodes, unless the rest is wider.
  private static let rowWidth = 860.0

  /// The upper left corner of each node.
  private(set) var nodes: [Point]
  /// The points that each edge passes, from its beginning to its end; empty for an edge from a node
  /// to itself.
  private(set) var routes: [[Point]]
  /// True for each edge whose part has its layers side by side.
  private(set) var isSideways: [Bool]
  /// The size of the drawing.
  private(set) var width = 0.0
  private(set) var height = 0.0

  /// Lays out a graph.
  ///
  /// - Parameters:
  ///   - count: The number of nodes. The part of the first node comes first.
  ///   - links: The edges; both ends are below `count`.
  init(nodes count: Int, links: [Link]) {
    nodes = Array(repeating: Point(x: 0, y: 0), count: count)
    routes = Array(repeating: [], count: links.count)
    isSideways = Array(repeating: false, count: links.count)
    var linksOf: [Int: [Int]] = [:]
    let parts = Self.parts(count, links)
    var partOf = Array(repeating: 0, count: count)
    for (number, part) in parts.enumerated() { for node in part { partOf[node] = number } }
    for (number, link) in links.enumerated() {
      linksOf[partOf[link.from], default: []].append(number)
    }
    for (number, part) in parts.enumerated() {
      if let own = linksOf[number] { add(part, own, links) }
    }
    addSingles(parts.indices.filter { linksOf[$0] == nil }.flatMap { parts[$0] })
  }

  /// Adds a part below the others. Its layers are one below the other, or side by side if that is
  /// narrower.
  private mutating func add(_ part: [Int], _ own: [Int], _ links: [Link]) {
    var place: [Int: Int] = [:]
    for (number, node) in part.enumerated() { place[node] = number }
    let inside = own.compactMap { number -> Link? in
      guard let from = place[links[number].from], let to = place[links[number].to] else {
        return nil
      }
      return Link(from: from, to: to)
    }
    var layout = GraphLayout(nodes: part.count, links: inside)
    let other = GraphLayout(nodes: part.count, links: inside, measures: .sideways)
    if other.width < layout.width { layout = other }
    for (node, corner) in zip(part, layout.nodes) {
      nodes[node] = Point(x: corner.x, y: corner.y + height)
    }
    for (number, route) in zip(own, layout.routes) {
      routes[number] = route.map { Point(x: $0.x, y: $0.y + height) }
      isSideways[number] = layout.measures.isSideways
    }
    width = max(width, layout.width)
    height += layout.height
  }

  private mutating func addSingles(_ singles: [Int]) {
    guard !singles.isEmpty else { return }
    let measures = GraphLayout.Measures()
    let step = measures.nodeWidth + measures.gap
    let room = max(Self.rowWidth, width) - 2 * measures.margin + measures.gap
    let columns = min(singles.count, max(1, Int(room / step)))
    for (number, node) in singles.enumerated() {
      let (row, column) = number.quotientAndRemainder(dividingBy: columns)
      nodes[node] = Point(
        x: measures.margin + Double(column) * step,
        y: height + measures.margin + Double(row) * (measures.nodeHeight + 18))
    }
    let rows = (singles.count + columns - 1) / columns
    width = max(width, 2 * measures.margin + Double(columns) * step - measures.gap)
    height += 2 * measures.margin + Double(rows) * (measures.nodeHeight + 18) - 18
  }

  /// The numbers of the nodes of each part, in the order of their first node.
  private static func parts(_ count: Int, _ links: [Link]) -> [[Int]] {
    var parent = Array(0..<count)
    func root(_ node: Int) -> Int {
      var node = node
      while parent[node] != node {
        parent[node] = parent[parent[node]]
        node = parent[node]
      }
      return node
    }
    for link in links {
      let (one, two) = (root(link.from), root(link.to))
      parent[max(one, two)] = min(one, two)
    }
    var parts: [Int: [Int]] = [:]
    for node in 0..<count { parts[root(node), default: []].append(node) }
    return parts.keys.sorted().compactMap { parts[$0] }
  }
}
