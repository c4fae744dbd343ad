import Testing

@testable import Hangs

/// Which nodes can go on follows from which need nothing, whatever the order of the nodes.
@Suite("Reduction")
struct ReductionTests {
  @Test("a node that needs nothing is live, and so is a node that needs only it")
  func chain() {
    var net = Reduction()
    let nodes = (0..<5).map { _ in net.add(needsAll: true) }
    for (node, next) in zip(nodes, nodes.dropFirst()) { net.require(node, for: next) }
    net.run()
    #expect(net.isLive == Array(repeating: true, count: 5))
  }

  @Test("no node of a cycle is live, nor a node that needs one of them")
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

  @Test("a node that needs one of several is live with the first; one that needs all is not")
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
