import HangReports
import Testing
import Hangs

@testable import Reports

/// Similar nodes become one box; different nodes do not, and a cycle stays whole.
@Suite("Nodes that are alike")
struct FoldedGraphTests {
  /// Threads of one pool that each wait for a semaphore.
  private func pool(_ count: Int, cause: Diagnosis.Cause = .starvation) -> Explanation {
    var nodes = [Explanation.Node(id: "p", kind: .pool, title: "the pool", isMarked: true)]
    var edges: [Explanation.Edge] = []
    for number in 0..<count {
      nodes.append(
        .init(
          id: "t\(number)", kind: .thread, title: "thread \(number)",
          stack: Hangs.frames("A.swift", 7, "a()"), isMarked: true))
      nodes.append(.init(id: "s\(number)", kind: .semaphore, title: "semaphore \(number)"))
      edges.append(.init(from: "t\(number)", to: "p", label: "thread of"))
      edges.append(.init(from: "t\(number)", to: "s\(number)", label: "waits for"))
    }
    return Explanation(cause: cause, isCertain: true, headline: "", nodes: nodes, edges: edges)
  }

  @Test("Similar nodes become one node, with the count of all and the names of the others")
  func folded() {
    let graph = FoldedGraph(pool(200))
    #expect(
      graph.nodes.map(\.title) == [
        "the pool", "thread 0 and 199 alike", "semaphore 0 and 199 alike",
      ])
    #expect(graph.nodes.map(\.count) == [1, 200, 200])
    #expect(graph.alike.map(\.count) == [0, 199, 199])
    #expect(graph.edges.map(\.label).sorted() == ["thread of", "waits for"])
  }

  @Test("A few similar nodes of a graph are shown one by one")
  func few() {
    let graph = FoldedGraph(pool(2))
    #expect(graph.nodes.count == 5 && graph.edges.count == 4)
    #expect(graph.alike.allSatisfy { $0.isEmpty })
  }

  @Test("Nodes with different stacks, marks or neighbours are not folded")
  func different() {
    for change in [
      { $0.nodes[1].stack = Hangs.frames("A.swift", 8, "a()") },
      { $0.nodes[1].isMarked = false },
      { $0.edges.append(.init(from: "t0", to: "s1", label: "waits for")) },
      { $0.edges[0].label = "waits for" },
    ] as [(inout Explanation) -> Void] {
      var diagnosis = pool(20)
      change(&diagnosis)
      let graph = FoldedGraph(diagnosis)
      #expect(graph.nodes.contains { $0.title == "thread 0" })
      #expect(graph.nodes.contains { $0.title.hasSuffix(" alike") })
    }
  }

  @Test("Nodes of a cycle are never folded")
  func cycle() {
    var ring = pool(0, cause: .cycle)
    ring.nodes = (0..<10).map {
      .init(id: "n\($0)", kind: $0 % 2 == 0 ? .thread : .lock, title: "\($0)", isMarked: true)
    }
    ring.edges = (0..<10).map {
      .init(from: "n\($0)", to: "n\(($0 + 1) % 10)", label: $0 % 2 == 0 ? "waits for" : "held by")
    }
    #expect(FoldedGraph(ring).nodes == ring.nodes && FoldedGraph(ring).edges == ring.edges)
  }
}
