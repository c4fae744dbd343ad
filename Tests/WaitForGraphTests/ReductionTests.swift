import Testing

@testable import Hangs

/// The nodes that can continue follow from the nodes that need nothing, in any order of nodes.
@Suite("Reduction")
struct ReductionTests {
  @Test("a node that needs nothing is live, and so is a node that needs only a live node")
  func chain() {
    var net = Reduction()
    let nodes = (0..<5).map { _ in net.add(needsAll: true) }
    for (node, next) in zip(nodes, nodes.dropFirst()) { net.require(node, for: next) }
    net.run()
    #expect(net.isLive == Array(repeating: true, count: 5))
  }

  @Test("no node of a cycle is live, nor is a node that needs a node of the cycle")
  func ring() {
    var net = Reduction()
    let nodes = (0..<3).map { _ in net.add(needsAll: true) }
    for node in nodes { net.require(node, for: (node + 1) % 3) }
    let waiting = net.add(needsAll: true)
    net.require(0, for: waiting)
    let free = net.add(needsAll: true)
    net.run()
    #expect(nodes.allSatisfy { !net.isLive[$0] })
    #expect(!net.isLive[waiting])
    #expect(net.isLive[free])
  }

  @Test("a node that needs one of several is live with the first, unlike a node that needs all")
  func oneAndAll() {
    var net = Reduction()
    let free = net.add(needsAll: true)
    let never = net.add(needsAll: false)
    let one = net.add(needsAll: false)
    let all = net.add(needsAll: true)
    for input in [free, never] {
      net.allow(input, for: one)
      net.require(input, for: all)
    }
    net.run()
    #expect(net.isLive[one])
    #expect(!net.isLive[all])
    #expect(!net.isLive[never])
  }
}
