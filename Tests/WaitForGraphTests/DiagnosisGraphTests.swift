import HangReports
import Interlock
import Testing

@testable import Hangs

/// Nodes and edges: similar threads are one node, and no result depends on an order.
@Suite("The graph of a diagnosis")
struct DiagnosisGraphTests {
  typealias S = Snapshots

  @Test("threads that wait at one place for one object share a node, and a holder has its own")
  func folded() throws {
    let snapshot = S.process(
      [
        S.waiting(1, .mutex, 0xb, held: [S.has(0xa)]),
        S.waiting(2, .mutex, 0xa, held: [S.has(0xb)]),
      ]
        + (10..<60).map { S.waiting($0, .mutex, 0xa) })
    let found = try explained(snapshot, "graph-of-many-waiters")
    let threads = found.nodes.filter { $0.kind == .thread }
    #expect(threads.map(\.count).sorted() == [1, 1, 50])
    #expect(
      threads.first { $0.count == 50 }?.subject == .parties((10..<60).map { .thread($0) }))
    #expect(threads.filter(\.isMarked).count == 2)
    #expect(
      found.edges.contains {
        $0.from == .party(.thread(10)) && $0.to == .object(0xa) && $0.relation == .waitsFor
      })
    #expect(
      found.edges.contains {
        $0.from == .object(0xa) && $0.to == .party(.thread(1)) && $0.relation == .heldBy
      })
  }

  @Test(
    "a lock is named by the line that made it, and by its address too if that line made several"
  )
  func locks() throws {
    for (lines, names) in [
      ([2, 3], ["2  init()", "3  init()"]), ([2, 2], ["2  init() (0xa)", "2  init() (0xb)"]),
    ] {
      let snapshot = S.process(
        [
          S.waiting(1, .mutex, 0xb, held: [S.has(0xa)]),
          S.waiting(2, .mutex, 0xa, held: [S.has(0xb)]),
        ],
        signals: zip([0xa, 0xb], lines).map {
          WaitSnapshot.Signal(id: $0, kind: .mutex, created: S.line($1, "init()"))
        })
      let found = try #require(Diagnosis(of: snapshot))
      #expect(
        Explanation(found, of: snapshot).nodes.filter { $0.kind == .lock }.map(\.title).sorted()
          == names.map { "the mutex made at Cache.swift:" + $0 })
    }
  }

  @Test("the graph of a starvation has the pool, the queues and their blocks")
  func starvation() throws {
    let found = try explained(
      StarvationTests.cache(running: 4, queued: 996), "starvation-of-a-pool")
    let blocks = try #require(found.nodes.first { $0.kind == .blocks && $0.count == 996 })
    #expect(blocks.subject == .blocks(queue: 0x20, position: 0))
    let pool = try #require(found.nodes.first { $0.kind == .pool })
    #expect(pool.subject == .queue(S.defaultPool))
    #expect(pool.isMarked)
    #expect(
      found.edges.contains {
        $0.from == .queue(0x20) && $0.to == pool.id && $0.relation == .needsThreadOf && $0.isMarked
      })
    #expect(found.nodes.contains { $0.subject == .queue(0x21) && $0.kind == .queue })
  }

  @Test("each node has one identifier, and both ends of each edge are nodes")
  func names() throws {
    for snapshot in Self.samples {
      let found = try #require(Diagnosis(of: snapshot))
      let ids = found.nodes.map(\.id)
      #expect(Set(ids).count == ids.count)
      #expect(found.edges.allSatisfy { ids.contains($0.from) && ids.contains($0.to) })
      #expect(found.nodes.contains { $0.isMarked })
    }
  }

  @Test("each identifier of a node in a graph is also in the text")
  func textNames() throws {
    for snapshot in Self.samples {
      let found = try #require(Diagnosis(of: snapshot))
      let text = Explanation(found, of: snapshot)
      let ids = text.nodes.map(\.id)
      #expect(Set(ids).count == found.nodes.count)
      #expect(text.edges.allSatisfy { ids.contains($0.from) && ids.contains($0.to) })
      #expect(text.nodes.allSatisfy { !$0.title.isEmpty })
    }
  }

  @Test("equal snapshots in any order give equal graphs")
  func order() throws {
    var random = SystemRandomNumberGenerator()
    for snapshot in Self.samples {
      let first = try #require(Diagnosis(of: snapshot))
      for _ in 0..<20 {
        var other = snapshot
        other.threads.shuffle(using: &random)
        other.queues.shuffle(using: &random)
        other.signals.shuffle(using: &random)
        #expect(Diagnosis(of: other) == first)
      }
    }
  }

  static var samples: [WaitSnapshot] {
    [
      StarvationTests.cache(running: 4, queued: 996),
      StarvationTests.cache(running: 255, queued: 3), CycleTests.ring(5),
      S.process(
        [S.waiting(1, .semaphore, 0xa), S.waiting(2, .semaphore, 0xb), S.waiting(3, .group, 0xd)],
        signals: [
          WaitSnapshot.Signal(id: 0xa, kind: .semaphore),
          WaitSnapshot.Signal(id: 0xb, kind: .semaphore),
        ]),
      S.process(
        [S.waiting(1, .semaphore, 0xa), S.waiting(2, .group, 0xb)],
        signals: (0..<4).map {
          WaitSnapshot.Signal(id: UInt(0xc0 + $0), kind: .continuation, created: S.line($0 + 1))
        }),
      S.process(
        [
          S.waiting(1, .queue, 0x11, held: [S.has(0xa)]),
          S.waiting(2, .mutex, 0xa, runs: [S.run(0x12)]),
          S.waiting(3, .semaphore, 0xc, runs: [S.run(0x13)]),
        ],
        [
          S.serial(0x10, "a"), S.serial(0x11, "b", target: 0x10), S.serial(0x12, "c", target: 0x10),
          S.serial(0x13, "d", blocks: [S.blocks(by: [3])]),
          S.serial(0x14, "e", target: 0x13, blocks: [S.blocks(by: [3])]),
        ]),
    ]
  }
}
