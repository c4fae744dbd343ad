import CInterlockAnalysis
import Synchronization

/// Passes a thread's wait for itself to the monitor. The wait comes from a C callback without a
/// context.
///
/// Only the newest monitor of a process gets these calls.
enum SelfWaits {
  /// The address of the monitor, which is never freed; 0 for none.
  private static let monitor = Atomic<UInt>(0)

  /// Passes further self-waits to this monitor.
  static func report(to newest: HangMonitor) {
    // Release: pairs with the acquire below. The monitor is complete before its address is
    // published.
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
