/// The points at which edges meet their nodes, side by side along the borders towards the previous
/// and the next layer. They are sorted by the edges' other ends, so that two edges between the same
/// nodes are two lines.
struct GraphPorts {
  private struct Key: Hashable {
    var item: Int
    var link: Int
  }

  /// The largest distance between two neighbouring points.
  private static let farthest = 56.0

  private let nodeCount: Int
  private var entries: [Key: Double] = [:]
  private var exits: [Key: Double] = [:]

  init(_ layers: GraphLayers, _ centers: [Double], _ measures: GraphLayout.Measures) {
    nodeCount = layers.nodeCount
    typealias End = (link: Int, x: Double)
    var above: [Int: [End]] = [:]
    var below: [Int: [End]] = [:]
    for (link, path) in layers.paths.enumerated() {
      guard let path else { continue }
      below[path[0], default: []].append((link, centers[path[1]]))
      above[path[path.count - 1], default: []].append((link, centers[path[path.count - 2]]))
    }
    func offsets(_ ends: [Int: [End]]) -> [Key: Double] {
      var result: [Key: Double] = [:]
      for (item, ends) in ends {
        let step = min(Self.farthest, (measures.breadth - 24) / Double(max(1, ends.count)))
        let ordered = ends.sorted { ($0.x, $0.link) < ($1.x, $1.link) }
        for (place, end) in ordered.enumerated() {
          result[Key(item: item, link: end.link)] =
            (Double(place) - Double(ends.count - 1) / 2) * step
        }
      }
      return result
    }
    entries = offsets(above)
    exits = offsets(below)
  }

  /// The position at which an edge meets the border of a node or place towards the previous layer.
  func entry(_ item: Int, _ link: Int, _ centers: [Double]) -> Double {
    centers[item] + (entries[Key(item: item, link: link)] ?? 0)
  }

  /// The position at which an edge meets the border of a node or place towards the next layer.
  func exit(_ item: Int, _ link: Int, _ centers: [Double]) -> Double {
    centers[item] + (exits[Key(item: item, link: link)] ?? 0)
  }
}
