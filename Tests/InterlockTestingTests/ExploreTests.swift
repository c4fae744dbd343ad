import Foundation
import InterlockTesting
import Testing

/// Adds and reads under the lock, each step by itself: a transfer is two steps.
private final class Bank: @unchecked Sendable {
  // Unchecked: `lock` protects the balances.
  private let lock = NSLock()
  private var balances: [Int]

  init(accounts: Int) { balances = Array(repeating: 100, count: accounts) }

  var total: Int { lock.withLock { balances.reduce(0, +) } }

  /// Reads and writes in two critical sections: an update between them is lost.
  func transferInSteps(_ amount: Int, from: Int, to: Int) {
    let (old, other) = lock.withLock { (balances[from], balances[to]) }
    lock.withLock { balances[from] = old - amount }
    lock.withLock { balances[to] = other + amount }
  }

  func transfer(_ amount: Int, from: Int, to: Int) {
    lock.withLock {
      balances[from] -= amount
      balances[to] += amount
    }
  }
}

@Suite("explore", .serialized)
struct ExploreTests {
  @Test("a transfer in one critical section keeps the sum in every order")
  func passes() throws {
    try explore {
      let bank = Bank(accounts: 2)
      let group = DispatchGroup()
      for _ in 0..<2 {
        DispatchQueue.global().async(group: group) { bank.transfer(1, from: 0, to: 1) }
      }
      group.wait()
      #expect(bank.total == 200)
    }
  }

  @Test("a transfer in two critical sections loses an update in some order")
  func lostUpdate() throws {
    try withKnownIssue {
      try explore {
        let bank = Bank(accounts: 2)
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) { bank.transferInSteps(1, from: 0, to: 1) }
        DispatchQueue.global().async(group: group) { bank.transferInSteps(5, from: 1, to: 0) }
        group.wait()
        #expect(bank.total == 200)
      }
    } matching: { issue in
      print(issue)
      return "\(issue)".contains("replay: explore(replay:")
    }
  }
}
