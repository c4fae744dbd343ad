import Testing

@testable import Prediction

/// A lock leads to itself if its owner waits for its own signaller, or if it is read twice.
@Suite("Locks that lead to themselves")
struct LockOrderLoopsTests {
  private func order(_ edges: LockOrder.Edge..., isCertain: Bool = true) -> LockOrder {
    var order = LockOrder()
    order.locks[0] = LockOrder.Lock(object: 64, kind: .queue)
    order.locks[0]?.isCertain = isCertain
    order.edges = edges
    return order
  }

  private func loop(
    isShared: Bool, by owner: UInt64, under gates: [UInt: Bool] = [:],
    signal: LockOrder.Signal? = nil
  ) -> LockOrder.Edge {
    var edge = LockOrder.Edge(from: 0, to: 0)
    edge.owners = [owner]
    edge.gates = isShared ? gates.merging([64: true]) { $1 } : gates
    edge.fromIsShared = isShared
    edge.toIsShared = isShared
    edge.signal = signal
    return edge
  }

  @Test("a loop is found if one owner reads a lock twice and another owner writes")
  func readAndWrite() {
    let order = order(loop(isShared: true, by: 1), loop(isShared: false, by: 2))
    #expect(order.loops().map(\.edges.count) == [2])
    #expect(order.cycles().found.isEmpty)
  }

  @Test("a lock read twice is no loop without a writer, nor if the writer is the reader itself")
  func noWriter() {
    #expect(order(loop(isShared: true, by: 1), loop(isShared: true, by: 2)).loops().isEmpty)
    #expect(order(loop(isShared: false, by: 1), loop(isShared: false, by: 2)).loops().isEmpty)
    #expect(order(loop(isShared: true, by: 1), loop(isShared: false, by: 1)).loops().isEmpty)
  }

  @Test("a lock read twice is no loop if a common lock keeps the writer out between the reads")
  func gate() {
    let gate: [UInt: Bool] = [128: false]
    let (read, write) = (
      loop(isShared: true, by: 1, under: gate), loop(isShared: false, by: 2, under: gate)
    )
    #expect(order(read, write).loops().isEmpty)
    let shared: [UInt: Bool] = [128: true]
    #expect(order(loop(isShared: true, by: 1, under: shared), write).loops().isEmpty)
    #expect(order(read, loop(isShared: false, by: 2)).loops().count == 1)
  }

  @Test("a loop is found if an owner waits under a lock for its own signaller")
  func signal() {
    let signal = LockOrder.Signal(kind: .group)
    let found = order(loop(isShared: false, by: 1, signal: signal)).loops()
    #expect(found.map(\.edges.count) == [1])
    #expect(found.first?.edges.first?.signal == signal)
  }

  @Test("a lock that may have been two locks, one after the other, is no loop")
  func uncertain() {
    let reads = loop(isShared: true, by: 1)
    #expect(order(reads, loop(isShared: false, by: 2), isCertain: false).loops().isEmpty)
  }
}
