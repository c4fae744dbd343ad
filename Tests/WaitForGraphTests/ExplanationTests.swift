import Interlock
import Testing

@testable import HangReports
@testable import Hangs

/// A diagnosis is made before any address has a symbol, and shown when all addresses have one.
@Suite("An explanation")
struct ExplanationTests {
  typealias S = Snapshots

  /// The snapshots of the graph's tests, and snapshots with the remaining causes.
  private static var samples: [WaitSnapshot] {
    var suspended = S.serial(0x10, "cache", blocks: [S.blocks(3, at: 12)])
    suspended.isSuspended = true
    var left = S.process([S.waiting(1, .mutex, 0xa)])
    left.leftLocks = [
      WaitSnapshot.LeftLock(kind: .mutex, object: 0xa, place: S.line(5), thread: 77)
    ]
    return DiagnosisGraphTests.samples + [
      left, S.process([S.waiting(1, .semaphore, 0xa)], [suspended]),
      S.process([S.waiting(1, .mutex, 0xa, at: 20, held: [S.has(0xa, at: 10)])]),
      S.process([S.other(1, .listening)], signals: [SuspendedTests.continuation]),
      S.process([S.other(1, .unknown)]),
    ]
  }

  @Test(
    "a worker is named by its pool, even if the system cuts the worker's name",
    arguments: [
      ("oot.default-qos", "thread 7 (default pool)"),
      ("r-initiated-qos", "thread 7 (user-initiated pool)"),
      ("-qos.overcommit", "thread 7 (overcommit pool)"),
      ("own.default-qos", "thread 7 \"own.default-qos\""), ("worker", "thread 7 \"worker\""),
      ("", "thread 7"),
    ])
  func worker(name: String, shown: String) {
    #expect(SnapshotNames.thread(7, name) == shown)
  }

  @Test("a diagnosis made from addresses has the text of one that is made with symbols")
  func addresses() throws {
    for sample in Self.samples {
      let bare = sample.named(
        Dictionary(uniqueKeysWithValues: sample.addresses.map { ($0, [StackFrame(address: $0)]) }))
      let named = bare.named(
        Dictionary(
          uniqueKeysWithValues: sample.addresses.map {
            ($0, S.line(Int($0), "function\($0)()"))
          }))
      let diagnosis = try #require(Diagnosis(of: bare))
      let other = try #require(Diagnosis(of: named))
      #expect(diagnosis.evidence == other.evidence)
      #expect(diagnosis == other)
      let text = Explanation(diagnosis, of: named)
      #expect(text == Explanation(other, of: named))
      #expect(sample.addresses.isEmpty || text != Explanation(diagnosis, of: bare))
    }
  }

  @Test("a diagnosis is explained as far as possible if the snapshot lacks its threads")
  func otherSnapshot() throws {
    for sample in Self.samples {
      let diagnosis = try #require(Diagnosis(of: sample))
      let text = Explanation(diagnosis, of: WaitSnapshot())
      #expect(!text.headline.isEmpty)
      #expect(text.nodes.map(\.id) == diagnosis.nodes.map(\.id.description))
      #expect(text.nodes.allSatisfy { !$0.title.isEmpty })
    }
  }

  @Test("each advice and each relation of an explanation has its own text")
  func ownTexts() {
    func advice(_ advice: Diagnosis.Advice) -> [String] {
      Explanation(
        Diagnosis(evidence: .stuck([.thread(1)]), advice: advice), of: WaitSnapshot()
      ).advice
    }
    let all = Diagnosis.Advice.allCases.map(advice)
    #expect(Set(all).count == all.count)
    #expect(all.allSatisfy { $0.count == 1 && $0[0].hasPrefix("safe when: ") })
    let edges = Diagnosis.Edge.Relation.allCases.map {
      Diagnosis.Edge(from: .queue(1), to: .queue(2), relation: $0)
    }
    let labels = Explanation(
      Diagnosis(evidence: .stuck([.thread(1)]), edges: edges), of: WaitSnapshot()
    ).edges.map(\.label)
    #expect(Set(labels).count == edges.count)
  }
}
