import Explorer
import Foundation
import Synchronization
import Testing

/// Small algorithms that need all their memory orders: if one is weakened by one step, an order of
/// the body fails.
@Suite(.serialized) struct ExploredOrders {
  /// Plain memory that an algorithm guards. Unchecked: the algorithm orders the accesses.
  final class Plain: @unchecked Sendable {
    var value = 0
  }

  final class Words: Sendable {
    let first = Atomic(0)
    let second = Atomic(0)
    let third = Atomic(0)
  }

  private func expectAllNeeded(
    _ count: Int, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable () -> Bool
  ) throws {
    var options = ExplorationOptions()
    options.memoryModel = .weak
    let weakened = try Exploration(options, of: "orders").weakenedOrders(body)
    #expect(weakened.count == count, "\(weakened)", sourceLocation: sourceLocation)
    for order in weakened {
      #expect(order.isFound, "\(order.description)", sourceLocation: sourceLocation)
    }
  }

  @Test func mailbox() throws {
    try expectAllNeeded(2) {
      let (words, plain) = (Words(), Plain())
      Thread {
        plain.value = 7
        words.first.store(1, ordering: .releasing)
      }.start()
      while words.first.load(ordering: .acquiring) == 0 {}
      return plain.value == 7
    }
  }

  @Test func spinLock() throws {
    try expectAllNeeded(2) {
      let (words, plain) = (Words(), Plain())
      onTwoThreads {
        while words.first.exchange(1, ordering: .acquiring) == 1 {}
        plain.value += 1
        words.first.store(0, ordering: .releasing)
      }
      return plain.value == 2
    }
  }

  @Test func ticketLock() throws {
    try expectAllNeeded(2) {
      let (words, plain) = (Words(), Plain())
      onTwoThreads {
        let ticket = words.first.add(1, ordering: .relaxed).oldValue
        while words.second.load(ordering: .acquiring) != ticket {}
        plain.value += 1
        words.second.store(ticket + 1, ordering: .releasing)
      }
      return plain.value == 2
    }
  }

  /// If all four operations are sequentially consistent, at least one thread sees the other.
  @Test func dekker() throws {
    try expectAllNeeded(4) {
      let words = Words()
      onThreads([
        {
          words.first.store(1, ordering: .sequentiallyConsistent)
          if words.second.load(ordering: .sequentiallyConsistent) == 0 {
            words.third.add(1, ordering: .relaxed)
          }
        },
        {
          words.second.store(1, ordering: .sequentiallyConsistent)
          if words.first.load(ordering: .sequentiallyConsistent) == 0 {
            words.third.add(1, ordering: .relaxed)
          }
        },
      ])
      return words.third.load(ordering: .relaxed) <= 1
    }
  }

  /// The last owner may change what the other owners have read.
  @Test func references() throws {
    try expectAllNeeded(2) {
      let (words, plain) = (Words(), Plain())
      words.first.store(2, ordering: .relaxed)
      onTwoThreads {
        let seen = plain.value
        let left = words.first.subtract(1, ordering: .acquiringAndReleasing).newValue
        if left == 0 { plain.value = seen + 1 }
      }
      return plain.value == 1
    }
  }

  @Test func ring() throws {
    try expectAllNeeded(4) {
      let (words, slot) = (Words(), Plain())
      Thread {
        for value in 1...2 {
          while words.first.load(ordering: .acquiring) < value - 1 {}
          slot.value = value
          words.second.store(value, ordering: .releasing)
        }
      }.start()
      var sum = 0
      for value in 1...2 {
        while words.second.load(ordering: .acquiring) < value {}
        sum += slot.value
        words.first.store(value, ordering: .releasing)
      }
      return sum == 3
    }
  }

  /// A reader sees both halves of a change, or none.
  @Test func sequenceLock() throws {
    try expectAllNeeded(6) {
      let words = Words()
      Thread {
        words.first.store(1, ordering: .relaxed)
        words.second.store(1, ordering: .releasing)
        words.third.store(1, ordering: .releasing)
        words.first.store(2, ordering: .releasing)
      }.start()
      let before = words.first.load(ordering: .acquiring)
      let one = words.second.load(ordering: .acquiring)
      let other = words.third.load(ordering: .acquiring)
      let after = words.first.load(ordering: .relaxed)
      return before % 2 == 1 || before != after || one == other
    }
  }

  /// A counter needs no order.
  @Test func counter() throws {
    var options = ExplorationOptions()
    options.memoryModel = .weak
    let weakened = try Exploration(options, of: "counter").weakenedOrders {
      let words = Words()
      onTwoThreads { words.first.add(1, ordering: .acquiringAndReleasing) }
      return words.first.load(ordering: .relaxed) == 2
    }
    #expect(weakened.map(\.isFound) == [false, false])
  }
}
