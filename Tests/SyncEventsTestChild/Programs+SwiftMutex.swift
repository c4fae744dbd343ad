import CInterlockAnalysis
import CInterlockEvents
import Foundation
import Hangs
import Interlock
import ProcessInspection
import Synchronization

extension Programs {
  private static let mutex = Mutex(0)

  /// Makes a thread wait for a `Mutex` that the main thread holds, and prints the thread's entry in
  /// a snapshot.
  static func swiftMutex() {
    _ = interlock_waits_start()
    interlock_events_hide_thread(true)
    defer { interlock_events_hide_thread(false) }
    let ended = DispatchSemaphore(value: 0)
    mutex.withLock { value in
      value = 1
      Thread.detachNewThread {
        mutex.withLock { $0 += 1 }
        ended.signal()
      }
      let own = Platform.thisThread
      while true {
        let snapshot = SnapshotTaker().take().snapshot
        if let wait = snapshot.threads.compactMap(\.wait).first(where: { $0.kind == .swiftMutex }) {
          let holder = snapshot.threads.first { thread in
            thread.held.contains { $0.object == wait.object }
          }
          let frame = symbolicate(wait.place.map(\.address)).first
          print(holder?.id == own, frame.map { "\($0)" } ?? "nowhere")
          return
        }
        // A period between checks, not a wait for an event.
        usleep(1000)
      }
    }
    ended.wait()
    print(mutex.withLock { $0 })
  }
}
