import Accounts
import Foundation
import InterlockTesting
import Testing

@Test func neverOverdrawn() async throws {
  try await stress(Account(balance: 100), callers: 8, rounds: 5_000, by: .tasks) { account, _ in
    guard await account.withdraw(80) else { return }
    #expect(await account.balance >= 0)  // red: the actor was re-entered
    await account.deposit(80)
  }
}

@Test(.enabled(if: ProcessInfo.processInfo.environment["SECOND_FAULT"] != nil))
func neverAboveTheLimit() async throws {
  try await stress(Account(balance: 100), callers: 2, rounds: 10, by: .tasks) { account, _ in
    await account.deposit(80)
    #expect(await account.balance <= 100)  // second: there is no limit
  }
}
