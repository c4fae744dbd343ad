import Interlock
import Synchronization
import Testing

// The handler is process-wide, so the tests run serially, and no other suite reaches a point.
@Suite("Sync points", .serialized)
struct SyncPointTests {
  @Test("a sync point calls the handler with its name, on its own thread")
  func told() {
    let seen = Mutex<[String]>([])
    SyncPoints.arm { point in seen.withLock { $0.append(point) } }
    SYNC_POINT("tests.first")
    SYNC_POINT("tests.second")
    SyncPoints.arm(nil)
    SYNC_POINT("tests.third")
    #expect(seen.withLock { $0 } == ["tests.first", "tests.second"])
  }

  @Test("a handler may hold one thread at a sync point while another thread passes the same point")
  func held() {
    let isFirst = Atomic(true)
    let (entered, leave) = (Gate(), Gate())
    SyncPoints.arm { _ in
      if isFirst.exchange(false, ordering: .relaxed) {
        entered.open()
        leave.pass()
      }
    }
    let first = JoinableThread { SYNC_POINT("tests.held") }
    entered.pass()
    SYNC_POINT("tests.held")
    leave.open()
    first.join()
    SyncPoints.arm(nil)
  }
}
