import Foundation
import HangReports
import Interlock
import StressRunner
import Testing
import Hangs

@testable import Reports

/// The drawn graph and the time line.
@Suite("A picture of a hang")
struct PictureTests {
  private let ring =
    Hangs.certain.explanation ?? Explanation(cause: .cycle, isCertain: true, headline: "")

  private func drawing(_ diagnosis: Explanation) -> GraphDrawing {
    GraphDrawing(FoldedGraph(diagnosis), diagnosis.cause, prefix: "x")
  }

  @Test("A picture has a linked box for each node, and an arrow and a label for each edge")
  func graph() {
    let page = Page(drawing(ring).svg)
    #expect(page.error == nil)
    let links = page.all("a").compactMap { $0.attributes["href"] }
    #expect(links == ["#node-x-0", "#node-x-1", "#node-x-2", "#node-x-3"])
    #expect(page.values("marker-end").count == 4)
    #expect(page.all("text").map(\.text).filter { $0 == "held by" }.count == 2)
    #expect(page.all("title").first?.text == "The wait-for graph")
    #expect(page.all("desc")[0].text.contains("mutex 0xa0 held by thread 11 \"teller\""))
  }

  @Test("A picture marks only the cause, by words and by thickness")
  func marks() {
    var diagnosis = ring
    diagnosis.nodes.append(.init(id: "t99", kind: .thread, title: "thread 99"))
    diagnosis.edges.append(.init(from: "t99", to: "o0xa0", label: "waits for"))
    let page = Page(drawing(diagnosis).svg)
    #expect(
      page.all("a").filter { $0.attributes["class"]?.hasSuffix(" marked") == true }.count == 4)
    #expect(page.all("a").filter { $0.text.contains("in the cycle") }.count == 4)
    #expect(page.values("class").filter { $0 == "edge marked" }.count == 4)
    #expect(page.values("class").filter { $0 == "edge" }.count == 1)
    #expect(
      PageStyle.css.contains(".graph .edge.marked { stroke: var(--marked); stroke-width: 3; }"))
  }

  @Test("A picture shows 200 nodes at most, and counts the rest")
  func cut() {
    let nodes = (0..<300).map { number in
      Explanation.Node(
        id: "t\(number)", kind: .thread, title: "\(number)", stack: Hangs.frames("x", number, "x"))
    }
    let edges = (0..<299).map { Explanation.Edge(from: "t\($0)", to: "t\($0 + 1)", label: "l") }
    let diagnosis = Explanation(
      cause: .cycle, isCertain: true, headline: "", nodes: nodes, edges: edges)
    let drawing = self.drawing(diagnosis)
    let page = Page(drawing.svg)
    #expect(page.all("a").count == 200 && drawing.left == 100)
    #expect(page.values("marker-end").count == 199)
  }

  @Test("A picture accepts edges to nowhere, duplicate names, and no nodes at all")
  func odd() {
    let node = Explanation.Node(id: "a", kind: .other, title: "a")
    let odd = Explanation(
      cause: .unknown, isCertain: false, headline: "", nodes: [node, node],
      edges: [.init(from: "a", to: "gone", label: "l"), .init(from: "a", to: "a", label: "itself")])
    let page = Page(drawing(odd).svg)
    #expect(page.error == nil && page.values("marker-end").count == 1)
    let empty = Explanation(cause: .unknown, isCertain: false, headline: "")
    #expect(Page(drawing(empty).svg).error == nil)
  }

  @Test("A time line has a row for each thread and a titled bar for each span")
  func timeline() {
    let page = Page(Timeline(Hangs.ring.activity, ring, prefix: "x").svg)
    #expect(page.error == nil)
    let titles = page.all("title").map(\.text)
    #expect(titles.contains("runs, from 0.5 s to 0.24 s before the hang"))
    #expect(titles.contains("waits for mutex 0xb0, from 0.24 s to 0 s before the hang"))
    #expect(titles.contains("waits for semaphore 0xc0, from 0.5 s to 0.4 s before the hang"))
    #expect(
      titles.filter { $0.hasPrefix("thread ") } == ["thread 11 \"teller\"", "thread 12 \"teller\""])
    let ticks = page.all("text").filter { $0.attributes["class"] == "tick" }.map(\.text)
    #expect(ticks.first == "hang" && ticks.last == "−0.5 s" && (4...11).contains(ticks.count))
    #expect(page.all("desc")[0].text.contains("thread 11 \"teller\": waits for mutex 0xb0"))
  }

  @Test("A time line accepts empty spans, endless spans, and no span at all")
  func oddTimes() throws {
    let spans = [(0.0, 0.0), (.infinity, 0.1), (.nan, .nan), (-1, -2), (3e9, 2)].map {
      WaitSnapshot.Activity.Span(from: $0.0, to: $0.1, kind: .mutex, object: .max)
    }
    for spans in [[], [spans[0]], spans] {
      let page = Page(
        Timeline([WaitSnapshot.Activity(thread: 1, spans: spans)], ring, prefix: "x").svg)
      #expect(page.error == nil)
      // Widths are in per cent of the page, in any width.
      let widths = page.values("width").filter { $0.hasSuffix("%") }.map { $0.dropLast() }
      for width in widths { #expect((0.1...100).contains(try #require(Double(width)))) }
      for x in page.values("x") where x.hasSuffix("%") {
        #expect((0...100).contains(try #require(Double(x.dropLast()))))
      }
    }
  }
}
