import CInterlockAnalysis
import Foundation
import SyncEventsTestC
import Testing

extension SyncEvents {
  /// The table of the analysis, and its entries.
  @Suite("The hash table of the analysis")
  struct HashTableTests {
    @Test("A search of the hash table is correct while other threads add and remove entries")
    func searches() {
      #expect(sync_events_search_table() == 0)
    }

    // In a separate process, because locks of other tests would lose their entries: the test makes
    // more locks than the table has room for.
    @Test("The table of locks has room for new ones after it was full of destroyed ones")
    func destroyedLocks() async {
      await #expect(processExitsWith: .success) {
        let (missing, left) = fillTable(destroying: true)
        exit(missing == 0 && left == 0 ? 0 : 1)
      }
    }

    @Test("The table of locks has room for new ones if it is full of locks that are not destroyed")
    func locksThatStay() async {
      await #expect(processExitsWith: .success) {
        let (missing, _) = fillTable(destroying: false)
        exit(missing == 0 ? 0 : 1)
      }
    }
  }
}

/// Creates 70,000 locks. Returns the number of new locks without a line, and the number of
/// destroyed locks that still had a line.
private func fillTable(destroying: Bool) -> (missing: Int, left: Int) {
  guard interlock_waits_start() else { return (.max, .max) }
  let count = 70_000
  let locks = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: count)
  var missing = 0
  var left = 0
  for lock in (0..<count).map({ locks + $0 }) {
    pthread_mutex_init(lock, nil)
    if interlock_waits_made(UInt(bitPattern: lock)) == 0 { missing += 1 }
    guard destroying else { continue }
    pthread_mutex_destroy(lock)
    if interlock_waits_made(UInt(bitPattern: lock)) != 0 { left += 1 }
  }
  return (missing, left)
}
