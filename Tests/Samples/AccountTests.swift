import Foundation
import Testing

final class Account {
  private let lock = NSLock()
  private var balance = 0

  var isEmpty: Bool { lock.withLock { balance == 0 } }

  func close() -> Bool { lock.withLock { isEmpty } }
}

struct AccountTests {
  @Test func anEmptyAccountCloses() { #expect(Account().close()) }
}
