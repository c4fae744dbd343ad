import CInterlockEvents
import Synchronization
import WaitForGraph

/// Hands calls that wait for their own thread to the monitor: from a C function, which has no
/// context.
///
/// There is one process, so there is one monitor that hears of them: the newest.
enum SelfWaits {
  /// The address of the monitor, which lives as long as the process; 0 for none.
  private static let monitor = Atomic<UInt>(0)

  /// Has this monitor told of them from now on.
  static func report(to newest: HangMonitor) {
    // Release: who finds the monitor finds it made.
    let pointer = Unmanaged.passRetained(newest).toOpaque()
    monitor.store(UInt(bitPattern: pointer), ordering: .releasing)
    interlock_waits_on_self { wait in
      guard let wait = wait?.pointee,
        let pointer = UnsafeRawPointer(
          bitPattern: SelfWaits.monitor.load(ordering: .acquiring))
      else { return }
      Unmanaged<HangMonitor>.fromOpaque(pointer).takeUnretainedValue().tell(
        WaitSnapshot.SelfWait(
          thread: Int(wait.thread),
          kind: SnapshotTaker.kind(wait.kind.rawValue) ?? .swiftMutex,
          object: wait.object, place: SnapshotTaker.frames(wait.place),
          firstPlace: SnapshotTaker.frames(wait.first_place), traps: wait.traps))
    }
  }
}
