import Foundation
import InterlockTesting
import Testing

final class Bank: @unchecked Sendable {
  private let lock = NSLock()
  private var balances: [Int]

  init(accounts: Int) { balances = Array(repeating: 100, count: accounts) }

  var total: Int { lock.withLock { balances.reduce(0, +) } }

  func transfer(_ amount: Int, from: Int, to: Int) {
    let (old, other) = lock.withLock { (balances[from], balances[to]) }
    lock.withLock { balances[from] = old - amount }
    lock.withLock { balances[to] = other + amount }
  }
}

@Test func transfersKeepTheSum() throws {
  try explore {
    let bank = Bank(accounts: 2)
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) { bank.transfer(1, from: 0, to: 1) }
    DispatchQueue.global().async(group: group) { bank.transfer(5, from: 1, to: 0) }
    group.wait()
    #expect(bank.total == 200)
  }
}
