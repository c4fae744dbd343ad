import Accounts
import InterlockTesting
import Testing

@Test func neverOverdrawn() async throws {
  try await stress(Account(balance: 100), callers: 8, rounds: 500, by: .tasks) { account, _ in
    guard await account.withdraw(80) else { return }
    #expect(await account.balance >= 0)  // red: the actor was re-entered
    await account.deposit(80)
  }
}
