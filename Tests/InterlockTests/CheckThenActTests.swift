import Foundation
import Synchronization
import Testing

@testable import Interlock

/// A check and a change, each under the lock, which is released in between: a bug without a data
/// race.
struct CheckThenActTests {
  /// Reads under the lock, calls `between` without it, and writes the read value plus one under the
  /// lock.
  private final class Account: Sendable {
    private let lock = NSLock()
    // Atomic, so that only the order of the two accesses is wrong.
    private let balance = Atomic(0)

    var value: Int { balance.load(ordering: .relaxed) }

    func deposit(between: () -> Void) {
      let seen = lock.withLock { balance.load(ordering: .relaxed) }
      between()
      lock.withLock { balance.store(seen + 1, ordering: .relaxed) }
    }
  }

  init() { Findings.collect() }

  @Test("a section that spans two locked accesses conflicts with an access between them")
  func broken() {
    let section = Section("check-then-act.broken")
    let account = Account()
    section.write {
      account.deposit { onThread { section.write { account.deposit {} } } }
    }
    #expect(account.value == 1, "one of two deposits is lost")
    #expect(Findings.conflicts(on: "check-then-act.broken").count == 1)
  }

  @Test("a section under one lock around both accesses never conflicts")
  func repaired() {
    let section = Section("check-then-act.repaired")
    let account = Account()
    let outer = NSLock()
    let start = Barrier(parties: 3)
    let threads = (0..<3).map { _ in
      JoinableThread {
        start.wait()
        for _ in 0..<5_000 { outer.withLock { section.write { account.deposit {} } } }
      }
    }
    for thread in threads { thread.join() }
    #expect(account.value == 15_000)
    #expect(Findings.conflicts(on: "check-then-act.repaired").isEmpty)
  }
}
