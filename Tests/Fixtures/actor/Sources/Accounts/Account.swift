/// An account whose withdrawals ask a bank, and so are re-entered.
public actor Account {
  /// The money in the account.
  public private(set) var balance: Int

  /// Opens an account.
  public init(balance: Int) { self.balance = balance }

  /// Withdraws an amount; returns whether there was enough.
  public func withdraw(_ amount: Int) async -> Bool {
    guard balance >= amount else { return false }
    await askTheBank()
    balance -= amount
    return true
  }

  /// Adds an amount.
  public func deposit(_ amount: Int) { balance += amount }

  private func askTheBank() async { await Task.yield() }
}
