import CInterlockAnalysis
import Foundation
import SyncEventsTestC
import Testing

extension SyncEvents {
  /// The table of the analysis, and what is kept in it.
  @Suite("The hash table of the analysis")
  struct HashTableTests {
    @Test("A search of the hash table is correct while other threads add and remove entries")
    func searches() {
      #expect(sync_events_search_table() == 0)
    }

    @Test("The table of locks has room for new ones after it was full of destroyed ones")
    func destroyedLocks() throws {
      try #require(interlock_waits_start())
      // More than the table has room for, at addresses of their own.
      let count = 70_000
      let locks = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: count)
      defer { locks.deallocate() }
      var missing = 0
      var left = 0
      for lock in (0..<count).map({ locks + $0 }) {
        pthread_mutex_init(lock, nil)
        if interlock_waits_made(UInt(bitPattern: lock)) == 0 { missing += 1 }
        pthread_mutex_destroy(lock)
        if interlock_waits_made(UInt(bitPattern: lock)) != 0 { left += 1 }
      }
      #expect(missing == 0)
      #expect(left == 0)
    }
  }
}
