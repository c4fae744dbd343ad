import Foundation
import ProcessInspection
import Synchronization
import TestSupport
import Testing

@testable import Hangs

/// Reports of the monitor's thread, and of threads that wait for themselves.
@Suite("A monitor of hangs", .offThePool)
struct HangMonitorTests {
  private final class Reports: Sendable {
    let inside = Atomic(0)
    let all = Atomic(0)
    let overlap = Atomic(false)
    let isCalled = Atomic(false)
  }

  @Test("A report for a signal and one for a thread that waits for itself do not overlap")
  func inTurn() async {
    await #expect(processExitsWith: .success) {
      let reports = Reports()
      let monitor = HangMonitor.start(SnapshotTaker(), limit: { nil }, takesRequest: { true }) {
        _ in
        let others = reports.inside.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
        if others > 0 { reports.overlap.store(true, ordering: .sequentiallyConsistent) }
        if reports.all.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue == 0 {
          // The first report goes on while a thread asks for another one.
          while !reports.isCalled.load(ordering: .sequentiallyConsistent) { sched_yield() }
          let end = ContinuousClock.now + .milliseconds(300)
          while ContinuousClock.now < end { sched_yield() }
        }
        reports.inside.wrappingSubtract(1, ordering: .sequentiallyConsistent)
      }
      guard let monitor else { fatalError("no thread") }
      while reports.all.load(ordering: .sequentiallyConsistent) == 0 { sched_yield() }
      reports.isCalled.store(true, ordering: .sequentiallyConsistent)
      monitor.reportSelfWait(
        WaitSnapshot.SelfWait(thread: Platform.thisThread, object: 0x10, traps: false))
      precondition(!reports.overlap.load(ordering: .sequentiallyConsistent))
    }
  }
}
