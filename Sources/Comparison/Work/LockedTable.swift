public import LockStrategies

/// A table under a lock, on which strategies are compared.
///
/// All measured code is inlinable, so that a lock from another package costs no indirect call more
/// than the built-in ones.
@usableFromInline
package final class LockedTable<Strategy: Lock>: SynchronousWork {
  @usableFromInline let lock: Strategy
  @usableFromInline let table: SharedTable

  /// Guards a table.
  @inlinable
  package init(_ lock: Strategy, _ table: SharedTable) {
    self.lock = lock
    self.table = table
  }

  /// Makes some calls: a read under the shared lock, a write under the lock.
  @inlinable
  package func perform(_ calls: CallRing, _ range: Range<Int>) -> Tally {
    var tally = Tally()
    // A range's iterator checks its bounds three times for each call.
    var index = range.lowerBound
    while index < range.upperBound {
      let call = calls[index]
      index &+= 1
      if call.isWrite {
        lock.withLock { table.write(call.key) }
        tally.writes &+= 1
      } else if !lock.withSharedLock({ table.read(call.key) }) {
        tally.broken &+= 1
      }
    }
    return tally
  }

  /// How many writes the table has lost.
  @inlinable
  package func lost(of writes: Int) -> Int { table.lost(of: writes) }
}

/// A table that an actor owns.
final class ActorTable: AsynchronousWork {
  private actor Owner {
    let table: SharedTable

    init(_ table: SharedTable) { self.table = table }

    func read(_ key: Int) -> Bool { table.read(key) }
    func write(_ key: Int) { table.write(key) }
    func lost(of writes: Int) -> Int { table.lost(of: writes) }
  }

  private let owner: Owner

  init(_ table: SharedTable) { owner = Owner(table) }

  func perform(_ calls: CallRing, _ range: Range<Int>) async -> Tally {
    var tally = Tally()
    for index in range {
      let call = calls[index]
      if call.isWrite {
        await owner.write(call.key)
        tally.writes &+= 1
      } else if await !owner.read(call.key) {
        tally.broken &+= 1
      }
    }
    return tally
  }

  func lost(of writes: Int) async -> Int { await owner.lost(of: writes) }
}
