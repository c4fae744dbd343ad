import Caches
import Interlock
import LockStrategies

/// A shared table with the marks of "Detecting race conditions in iOS" (2012), with or without a
/// lock.
///
/// The article's tool gives no mutual exclusion. Marks record reads and writes (`LOCK_NO_WRITE` 1,
/// `LOCK_NO_READWRITE` 3), and the tool stops the program when a write overlaps another access,
/// before any damage. So the marks stand where a lock should: as shipped there is none, and the
/// marks detect the overlap. Repaired, a mutex is taken before the mark; the marks stay, and detect
/// nothing.
///
/// `@unchecked Sendable`: the marks check whether the table is shared safely.
final class MarkedTable: Cache, @unchecked Sendable {
  private let lock: PthreadMutexLock?
  private var table: [String: CacheEntry] = [:]

  init(repaired: Bool) {
    lock = repaired ? PthreadMutexLock() : nil
  }

  func value(forKey key: String) -> [UInt8]? {
    reading {
      SYNC_POINT("markedtable.get.inside")
      return table[key]?.value
    }
  }

  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    writing {
      SYNC_POINT("markedtable.set.inside")
      table[key] = CacheEntry(value: value, cost: cost)
    }
  }

  /// Stores a value within a write, and counts the values there: sections of one thread that nest.
  func setValueAndCount(_ value: [UInt8], forKey key: String) -> Int {
    writing {
      SYNC_POINT("markedtable.set.inside")
      marking(.noReadWrite) {
        SYNC_POINT("markedtable.set.inside")
        table[key] = CacheEntry(value: value, cost: value.count)
      }
      SYNC_POINT("markedtable.set.innerEnded")
      return marking(.noWrite) { table.count }
    }
  }

  func removeValue(forKey key: String) { writing { table[key] = nil } }

  func removeAllValues() { writing { table = [:] } }

  var count: Int { reading { table.count } }

  var totalCost: Int? { reading { table.values.reduce(0) { $0 + $1.cost } } }

  func entries() -> [String: CacheEntry]? { reading { table } }

  private func reading<R>(_ body: () -> R) -> R {
    locked { marking(.noWrite, body) }
  }

  private func writing<R>(_ body: () -> R) -> R {
    locked { marking(.noReadWrite, body) }
  }

  private func marking<R>(_ mode: Mode, _ body: () -> R) -> R {
    // The article's resource is a name in the whole program; here it is a name of this table, so
    // that two tables differ.
    BEGIN_LOCK(mode, "table", of: self)
    defer { END_LOCK(mode, "table", of: self) }
    return body()
  }

  private func locked<R>(_ body: () -> R) -> R {
    guard let lock else { return body() }
    return lock.withLock(body)
  }
}
