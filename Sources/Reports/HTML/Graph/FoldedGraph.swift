import HangReports
import Interlock
import Hangs

/// A diagnosis's graph in which similar nodes are folded into one. Similar nodes have the same
/// kind, place and stack, and similar neighbours. Two hundred threads that each wait for their own
/// semaphore become one thread and one semaphore.
///
/// Similarity is found by colour refinement (Weisfeiler and Leman, 1968). The nodes of a cycle are
/// never folded, because each of them is part of the cause.
struct FoldedGraph {
  /// The smallest number of similar nodes that are folded.
  private static let fewest = 3
  /// The number of edges within which a difference is detected.
  private static let rounds = 6

  /// The properties of a node itself.
  private struct Looks: Hashable {
    var kind: Diagnosis.Node.Kind
    var isMarked: Bool
    var place: String?
    var stack: [String]
    /// The name of a node that is never folded.
    var own: String?
  }

  /// A node's class, with the classes of its neighbours.
  private struct Situation: Hashable {
    var color: Int
    var neighbors: [String]
  }

  /// The remaining nodes: the first of each class, with the number of all.
  private(set) var nodes: [Explanation.Node] = []
  /// For each remaining node, the titles of the other nodes in its class.
  private(set) var alike: [[String]] = []
  /// The distinct edges between the remaining nodes.
  private(set) var edges: [Explanation.Edge] = []

  init(_ diagnosis: Explanation) {
    let keepsMarked = diagnosis.cause == .cycle || diagnosis.cause == .self
    let all = diagnosis.nodes
    var colors = Self.numbered(
      all.map { node in
        Looks(
          kind: node.kind, isMarked: node.isMarked,
          place: node.place.map(HangSection.placeText), stack: node.stack.map(\.description),
          own: keepsMarked && node.isMarked ? node.id : nil)
      })
    let numbers = Dictionary(
      all.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first })
    let links = diagnosis.edges.compactMap { edge in
      numbers[edge.from].flatMap { from in numbers[edge.to].map { (edge, from, $0) } }
    }
    for _ in 0..<Self.rounds {
      var neighbors: [[String]] = Array(repeating: [], count: all.count)
      for (edge, from, to) in links {
        neighbors[from].append("to \(colors[to]) \(edge.label) \(edge.isMarked)")
        neighbors[to].append("from \(colors[from]) \(edge.label) \(edge.isMarked)")
      }
      let next = Self.numbered(
        zip(colors, neighbors).map { Situation(color: $0, neighbors: $1.sorted()) })
      if next == colors { break }
      colors = next
    }
    fold(all, colors, links)
  }

  private mutating func fold(
    _ all: [Explanation.Node], _ colors: [Int], _ links: [(Explanation.Edge, Int, Int)]
  ) {
    let groups = Dictionary(grouping: all.indices) { colors[$0] }
    var first: [String] = all.map(\.id)
    for number in all.indices {
      let group = groups[colors[number]] ?? []
      guard group.count >= Self.fewest else {
        nodes.append(all[number])
        alike.append([])
        continue
      }
      first[number] = all[group[0]].id
      guard group[0] == number else { continue }
      var node = all[number]
      node.count = group.reduce(0) { $0 + all[$1].count }
      node.title += " and \(group.count - 1) alike"
      nodes.append(node)
      alike.append(group.dropFirst().map { all[$0].title })
    }
    var known: Set<Explanation.Edge> = []
    for (edge, from, to) in links {
      let folded = Explanation.Edge(
        from: first[from], to: first[to], label: edge.label, isMarked: edge.isMarked)
      if known.insert(folded).inserted { edges.append(folded) }
    }
  }

  /// Numbers the values in the order of first occurrence. Equal values have the same number.
  private static func numbered<Value: Hashable>(_ values: [Value]) -> [Int] {
    var numbers: [Value: Int] = [:]
    return values.map { value in
      if let number = numbers[value] { return number }
      numbers[value] = numbers.count
      return numbers.count - 1
    }
  }
}
