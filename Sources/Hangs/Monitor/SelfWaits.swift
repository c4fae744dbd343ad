import CInterlockAnalysis
import Synchronization

/// Passes a thread's wait for itself from a C function, which has no context, to the monitor.
///
/// Only the newest monitor of a process gets these calls.
enum SelfWaits {
  /// The address of the monitor, which lives as long as the process; 0 for none.
  private static let monitor = Atomic<UInt>(0)

  /// Passes such calls to this monitor from now on.
  static func report(to newest: HangMonitor) {
    // Release: pairs with the acquire below; the monitor is complete before its address is there.
    let pointer = Unmanaged.passRetained(newest).toOpaque()
    monitor.store(UInt(bitPattern: pointer), ordering: .releasing)
    interlock_waits_on_self { wait in
      guard let wait = wait?.pointee,
        let pointer = UnsafeRawPointer(
          bitPattern: SelfWaits.monitor.load(ordering: .acquiring))
      else { return }
      Unmanaged<HangMonitor>.fromOpaque(pointer).takeUnretainedValue().reportSelfWait(
        WaitSnapshot.SelfWait(
          thread: Int(wait.thread),
          kind: SnapshotTaker.kind(wait.kind.rawValue) ?? .swiftMutex,
          object: wait.object, place: SnapshotTaker.frames(wait.place),
          firstPlace: SnapshotTaker.frames(wait.first_place), traps: wait.traps))
    }
  }
}
