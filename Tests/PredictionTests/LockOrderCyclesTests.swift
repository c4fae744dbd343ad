import Testing

@testable import Prediction

/// A lock order with this number of mutexes, numbered from 0.
private func order(_ locks: Int, _ edges: LockOrder.Edge...) -> LockOrder {
  var order = LockOrder()
  for index in 0..<locks {
    order.locks[index] = LockOrder.Lock(object: UInt(index + 1) * 64, kind: .mutex)
  }
  order.edges = edges
  return order
}

/// An edge: `owner` acquired the second lock while it held the first one and others.
private func edge(
  _ from: Int, _ to: Int, by owner: UInt64, under gates: [UInt: Bool] = [:],
  fromIsShared: Bool = false, toIsShared: Bool = false
) -> LockOrder.Edge {
  var edge = LockOrder.Edge(from: from, to: to)
  edge.owners = [owner]
  edge.gates = gates.merging([UInt(from + 1) * 64: fromIsShared]) { $1 }
  edge.fromIsShared = fromIsShared
  edge.toIsShared = toIsShared
  return edge
}

@Suite("Cycles of lock orders")
struct LockOrderCyclesTests {
  private func lengths(_ order: LockOrder) -> [Int] { order.cycles().found.map(\.edges.count) }

  @Test("a cycle of two locks is found once")
  func two() {
    #expect(lengths(order(2, edge(0, 1, by: 1), edge(1, 0, by: 2))) == [2])
  }

  @Test("a cycle of up to eight locks is found once")
  func ring() {
    for count in 3...8 {
      var ring = order(count)
      ring.edges = (0..<count).map { edge($0, ($0 + 1) % count, by: UInt64($0)) }
      #expect(lengths(ring) == [count])
    }
  }

  @Test("a cycle is found if one owner takes locks in both orders, and another in one of them")
  func oneOfTwo() {
    var both = edge(0, 1, by: 1)
    both.owners = [1, 2]
    #expect(lengths(order(2, both, edge(1, 0, by: 1))) == [2])
  }

  @Test("a cycle is found if more owners than are stored take locks in one order")
  func manyOwners() {
    var one = edge(0, 1, by: 1)
    one.hasManyOwners = true
    #expect(lengths(order(2, one, edge(1, 0, by: 1))) == [2])
  }

  @Test("a cycle that only a gate released by another thread keeps apart is undecided")
  func releasedGate() {
    func gated(released: Set<UInt>, other: Bool = false) -> LockOrder {
      var edges = [
        edge(0, 1, by: 1, under: [1000: false]),
        edge(1, 0, by: 2, under: other ? [:] : [1000: false]),
      ]
      for index in edges.indices { edges[index].releasedGates = released }
      return order(2, edges[0], edges[1])
    }
    #expect(lengths(gated(released: [1000])) == [])
    #expect(gated(released: [1000]).undecidedCount() == 1)
    #expect(gated(released: []).undecidedCount() == 0)
    // The cycle is found without the gate.
    #expect(lengths(gated(released: [1000], other: true)) == [2])
    #expect(gated(released: [1000], other: true).undecidedCount() == 0)
  }

  @Test("a cycle is found if only one of two orders to a lock is under a common lock")
  func variants() {
    let gated = edge(0, 1, by: 1, under: [999: false])
    let other = edge(1, 0, by: 2, under: [999: false])
    #expect(lengths(order(2, gated, other)).isEmpty)
    #expect(lengths(order(2, gated, edge(0, 1, by: 3), other)) == [2])
  }

  @Test("a cycle of a reader and a writer is found, either way")
  func readerAndWriter() {
    #expect(
      lengths(order(2, edge(0, 1, by: 1, fromIsShared: true), edge(1, 0, by: 2))) == [2])
    #expect(lengths(order(2, edge(0, 1, by: 1, toIsShared: true), edge(1, 0, by: 2))) == [2])
  }

  @Test("locks that all owners acquire in one order form no cycle")
  func oneOrder() {
    #expect(
      lengths(order(3, edge(0, 1, by: 1), edge(1, 2, by: 2), edge(0, 2, by: 3))).isEmpty)
  }

  @Test("the orders of a single owner form no cycle")
  func oneOwner() {
    #expect(lengths(order(2, edge(0, 1, by: 1), edge(1, 0, by: 1))).isEmpty)
  }

  @Test("three locks that two owners acquire form no cycle: each edge needs its own owner")
  func twoOwnersOfThree() {
    let ring = order(3, edge(0, 1, by: 1), edge(1, 2, by: 2), edge(2, 0, by: 1))
    #expect(lengths(ring).isEmpty)
  }

  @Test("orders under a common lock form no cycle, unless both orders only read that lock")
  func gates() {
    func under(_ one: Bool, _ other: Bool) -> [Int] {
      lengths(
        order(2, edge(0, 1, by: 1, under: [999: one]), edge(1, 0, by: 2, under: [999: other])))
    }
    #expect(under(false, false).isEmpty)
    #expect(under(true, false).isEmpty)
    #expect(under(false, true).isEmpty)
    #expect(under(true, true) == [2])
  }

  @Test("three locks form no cycle if two of the orders are under the third")
  func gateInTheRing() {
    let third: UInt = 3 * 64
    let ring = order(
      3, edge(0, 1, by: 1, under: [third: false]), edge(1, 2, by: 2), edge(2, 0, by: 3))
    #expect(lengths(ring).isEmpty)
  }

  @Test("owners that only read form no cycle")
  func readers() {
    let readers = order(
      2, edge(0, 1, by: 1, fromIsShared: true, toIsShared: true),
      edge(1, 0, by: 2, fromIsShared: true, toIsShared: true))
    #expect(lengths(readers).isEmpty)
  }

  @Test("a lock that may have been two locks at one address, or no lock, is in no cycle")
  func uncertain() {
    for lock in 0..<2 {
      var uncertain = order(2, edge(0, 1, by: 1), edge(1, 0, by: 2))
      uncertain.locks[lock]?.isCertain = false
      #expect(lengths(uncertain).isEmpty)
    }
  }

  @Test("a lock that is no longer known is in no cycle")
  func forgotten() {
    var order = order(2, edge(0, 1, by: 1), edge(1, 0, by: 2))
    order.locks[1] = nil
    #expect(lengths(order).isEmpty)
  }

  @Test("the search for cycles takes bounded time, and reports that it was incomplete")
  func bounded() {
    // All edges have one owner, so none of the many cycles can deadlock.
    var dense = order(40)
    for from in 0..<40 {
      for to in 0..<40 where to != from { dense.edges.append(edge(from, to, by: 1)) }
    }
    let cycles = dense.cycles()
    #expect(cycles.found.isEmpty)
    #expect(!cycles.isComplete)
  }

  @Test("the search for cycles is complete for any number of locks acquired in one order")
  func largeAndOrdered() {
    var ordered = order(60)
    for from in 0..<60 {
      for to in (from + 1)..<60 { ordered.edges.append(edge(from, to, by: UInt64(from))) }
    }
    #expect(ordered.cycles().found.isEmpty)
    #expect(ordered.cycles().isComplete)
  }
}
