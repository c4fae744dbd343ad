internal import SectionTable
internal import Synchronization

/// Calls the handler when a sync point is reached: the script of this process's trial, if any.
package enum SyncPoints {
  /// Called on the thread that reached the point, which continues when it returns.
  package typealias Handler = @Sendable (_ point: String) -> Void

  /// The bits `script` and `explored`.
  private static let armed = Atomic<UInt8>(0)
  private static let script: UInt8 = 1
  private static let explored: UInt8 = 2
  private static let handler = Guarded<Handler?>(nil)

  /// Relaxed: a point reached while the script is being set may miss it; `reached` takes the lock.
  @inline(__always)
  static var isArmed: Bool { armed.load(ordering: .relaxed) != 0 }

  /// Calls `newHandler` for every point that is reached from now on; `nil` ends that.
  ///
  /// A thread may still be in the old handler when this returns.
  package static func arm(_ newHandler: Handler?) {
    handler.withLock { $0 = newHandler }
    set(script, newHandler != nil)
  }

  /// Whether some threads of the process are explored, for which a sync point is a point.
  static func setExplored(_ isExplored: Bool) { set(explored, isExplored) }

  private static func set(_ bit: UInt8, _ isOn: Bool) {
    // Relaxed: see `isArmed`.
    if isOn {
      armed.bitwiseOr(bit, ordering: .relaxed)
    } else {
      armed.bitwiseAnd(~bit, ordering: .relaxed)
    }
  }

  @inline(never)
  static func reached(_ name: StaticString) {
    if armed.load(ordering: .relaxed) & explored != 0 {
      ExploredSections.reached(syncPoint: name)
    }
    if armed.load(ordering: .relaxed) & script == 0 { return }
    handler.withLock { $0 }?(name.description)
  }
}
