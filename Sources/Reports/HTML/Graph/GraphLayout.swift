/// The positions of a graph's nodes and the routes of its edges: layers of nodes, and edges from
/// one layer to the next.
///
/// The method is that of Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of
/// Hierarchical System Structures" (1981). Edges that close a cycle are reversed. Each node is one
/// layer below the lowest node that leads to it. A long edge has a place in each layer that it
/// crosses. Layers are ordered by the positions of their neighbours and aligned with them. The
/// layout is a pure function: equal graphs give equal pictures.
struct GraphLayout {
  /// An edge by the numbers of its nodes.
  struct Link: Hashable {
    var from: Int
    var to: Int
  }

  /// A point of the drawing.
  struct Point: Hashable {
    var x: Double
    var y: Double
  }

  /// The lengths of a drawing.
  struct Measures: Hashable {
    var nodeWidth = 252.0
    var nodeHeight = 84.0
    /// The gap between neighbours in a layer.
    var gap = 28.0
    /// The gap between layers, where edges run and are labelled.
    var layerGap = 76.0
    /// The space for an edge that crosses a layer.
    var laneWidth = 12.0
    var margin = 16.0
    /// True if layers are side by side instead of one below the other. Many nodes in a layer then
    /// make a long page, not a wide one.
    var isSideways = false

    /// Measures for layers side by side.
    static let sideways = Measures(gap: 18, layerGap: 120, isSideways: true)

    /// A node's length along its layer.
    var breadth: Double { isSideways ? nodeHeight : nodeWidth }
    /// A node's length from layer to layer.
    var depth: Double { isSideways ? nodeWidth : nodeHeight }
  }

  /// The upper left corner of each node.
  let nodes: [Point]
  /// The points that each edge passes, from its beginning to its end; empty for an edge from a node
  /// to itself.
  let routes: [[Point]]
  /// The size of the drawing.
  let width: Double
  let height: Double
  /// The lengths used for the layout.
  let measures: Measures

  /// The width of an edge from a node to itself.
  static let loopWidth = 28.0

  /// Lays out a graph.
  ///
  /// - Parameters:
  ///   - count: The number of nodes.
  ///   - links: The edges; both ends are below `count`.
  ///   - measures: The lengths to use.
  init(nodes count: Int, links: [Link], measures: Measures = Measures()) {
    self.measures = measures
    var layers = GraphLayers(nodes: count, links: links)
    layers.order()
    let centers = layers.centers(measures)
    func start(_ layer: Int) -> Double {
      measures.margin + Double(layer) * (measures.depth + measures.layerGap)
    }
    func point(_ along: Double, _ across: Double) -> Point {
      measures.isSideways ? Point(x: across, y: along) : Point(x: along, y: across)
    }
    nodes = (0..<count).map { node in
      point(centers[node] - measures.breadth / 2, start(layers.layerOf[node]))
    }
    let ports = GraphPorts(layers, centers, measures)
    routes = links.indices.map { link in
      guard let path = layers.paths[link] else { return [] }
      var points: [Point] = []
      for (step, item) in path.enumerated() {
        let across = start(layers.layerOf[item])
        // An edge enters a node on one side and leaves it on the other. At a layer that the edge
        // crosses, it does both.
        if step > 0 { points.append(point(ports.entry(item, link, centers), across)) }
        if step + 1 < path.count {
          points.append(point(ports.exit(item, link, centers), across + measures.depth))
        }
      }
      return layers.isTurned[link] ? points.reversed() : points
    }
    let end = centers.indices.map { centers[$0] + layers.width($0, measures) / 2 }.max() ?? 0
    let size = point(
      max(end, measures.margin) + measures.margin,
      start(max(0, layers.layers.count - 1)) + (count == 0 ? 0 : measures.depth) + measures.margin)
    // A loop at a node's side needs space too.
    width = size.x + (links.contains { $0.from == $0.to } ? Self.loopWidth : 0)
    height = size.y
  }
}
