internal import Synchronization

/// The switch for sync points: an unarmed point does nothing.
public enum ArmedSyncPoints {
  private static let armed = Atomic<UInt8>(0)

  /// The reasons why sync points are armed, as bits. Relaxed: a point reached while a reason is
  /// being set may miss it.
  package static var reasons: UInt8 { armed.load(ordering: .relaxed) }

  /// Sets or removes a reason.
  package static func set(_ reason: UInt8, _ isOn: Bool) {
    // Relaxed: see `reasons`.
    if isOn {
      armed.bitwiseOr(reason, ordering: .relaxed)
    } else {
      armed.bitwiseAnd(~reason, ordering: .relaxed)
    }
  }

  /// Called at a sync point.
  public static func pass(_ name: StaticString) {
    if armed.load(ordering: .relaxed) != 0 { Tracker.hooks.reached(syncPoint: name) }
  }
}
