import Testing

@testable import Reports

/// Layouts of many random graphs, which are equal in each run.
@Suite("A graph's layout")
struct GraphLayoutTests {
  typealias Link = GraphLayout.Link
  typealias Point = GraphLayout.Point

  private static let measures = GraphLayout.Measures()

  /// A small generator (SplitMix64), so that a failure can be reproduced.
  private struct Chance {
    var state: UInt64
    mutating func below(_ limit: Int) -> Int {
      state &+= 0x9E37_79B9_7F4A_7C15
      var word = state
      word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
      return Int((word ^ word >> 31) % UInt64(limit))
    }
  }

  private static func graph(_ seed: Int) -> (count: Int, links: [Link]) {
    var chance = Chance(state: UInt64(seed))
    let count = 1 + chance.below(seed % 10 == 0 ? 200 : 24)
    let edges = chance.below(2 * count + 1)
    return (
      count, (0..<edges).map { _ in Link(from: chance.below(count), to: chance.below(count)) }
    )
  }

  private func overlaps(_ nodes: [Point]) -> Bool {
    let (width, height) = (Self.measures.nodeWidth, Self.measures.nodeHeight)
    for one in nodes.indices {
      for other in nodes.indices.dropFirst(one + 1)
      where abs(nodes[one].x - nodes[other].x) < width
        && abs(nodes[one].y - nodes[other].y) < height
      {
        return true
      }
    }
    return false
  }

  @Test("A layout lets no node overlap another, nor leave the drawing", arguments: 0..<200)
  func nodes(seed: Int) {
    let (count, links) = Self.graph(seed)
    let layout = GraphComponents(nodes: count, links: links)
    #expect(!overlaps(layout.nodes))
    for corner in layout.nodes {
      #expect(corner.x >= 0 && corner.x + Self.measures.nodeWidth <= layout.width)
      #expect(corner.y >= 0 && corner.y + Self.measures.nodeHeight <= layout.height)
    }
    for measures in [GraphLayout.Measures(), .sideways] {
      #expect(!overlaps(GraphLayout(nodes: count, links: links, measures: measures).nodes))
    }
  }

  @Test(
    "A layout's edges begin and end at the borders of their nodes, and cross no other node",
    arguments: 0..<200)
  func edges(seed: Int) {
    let (count, links) = Self.graph(seed)
    let layout = GraphComponents(nodes: count, links: links)
    func isIn(_ point: Point, _ node: Int, inset: Double) -> Bool {
      let corner = layout.nodes[node]
      return point.x >= corner.x + inset && point.x <= corner.x + Self.measures.nodeWidth - inset
        && point.y >= corner.y + inset && point.y <= corner.y + Self.measures.nodeHeight - inset
    }
    for (link, route) in zip(links, layout.routes) {
      guard link.from != link.to, let first = route.first, let last = route.last else {
        #expect(link.from == link.to && route.isEmpty)
        continue
      }
      #expect(isIn(first, link.from, inset: -0.01) && isIn(last, link.to, inset: -0.01))
      for (start, end) in zip(route, route.dropFirst()) {
        let middle = Point(x: (start.x + end.x) / 2, y: (start.y + end.y) / 2)
        for point in [start, end] + (route.count > 2 ? [middle] : []) {
          #expect(!(0..<count).contains { isIn(point, $0, inset: 0.01) })
        }
      }
    }
  }

  @Test("A graph's layout is the same each time")
  func deterministic() {
    for seed in 0..<20 {
      let (count, links) = Self.graph(seed)
      let layouts = (0..<3).map { _ in GraphComponents(nodes: count, links: links) }
      #expect(Set(layouts.map(\.nodes)).count == 1 && Set(layouts.map(\.routes)).count == 1)
    }
  }

  @Test("A layout puts a waiting node above its object, with one upward edge in a cycle")
  func ring() {
    let chain = GraphLayout(nodes: 3, links: [Link(from: 2, to: 1), Link(from: 1, to: 0)])
    #expect(chain.nodes[2].y < chain.nodes[1].y && chain.nodes[1].y < chain.nodes[0].y)
    let links = (0..<5).map { Link(from: $0, to: ($0 + 1) % 5) }
    let ring = GraphLayout(nodes: 5, links: links)
    #expect(ring.routes.count { ($0.first?.y ?? 0) > ($0.last?.y ?? 0) } == 1)
    // Two edges between the same two nodes are two lines.
    let pair = GraphLayout(nodes: 2, links: [Link(from: 0, to: 1), Link(from: 1, to: 0)])
    #expect(pair.routes[0].map(\.x) != pair.routes[1].reversed().map(\.x))
  }

  @Test("A layout puts many nodes of a layer below one another, and isolated ones into rows")
  func shape() {
    let star = GraphComponents(nodes: 31, links: (1...30).map { Link(from: $0, to: 0) })
    #expect(star.width < 700 && star.height > 2000)
    let singles = GraphComponents(nodes: 9, links: [])
    #expect(Set(singles.nodes.map(\.y)).count == 3)
    #expect(GraphComponents(nodes: 0, links: []).nodes.isEmpty)
  }

  @Test("A layout of 200 densely connected nodes ends with bounded lanes")
  func dense() {
    let links = (0..<400).map { Link(from: $0 % 200, to: ($0 * 7 + 1) % 200) }
    let chain = (0..<199).map { Link(from: $0, to: $0 + 1) }
    let layout = GraphComponents(nodes: 200, links: chain + links)
    #expect(!overlaps(layout.nodes))
    #expect(layout.routes.allSatisfy { $0.count <= 400 })
  }
}
