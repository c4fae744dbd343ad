internal import Synchronization

/// Calls the handler when a sync point is reached: the script of this process's trial, if any.
package enum SyncPoints {
  /// Called on the thread that reached the point, which continues when it returns.
  package typealias Handler = @Sendable (_ point: String) -> Void

  private static let armed = Atomic<Bool>(false)
  private static let handler = Guarded<Handler?>(nil)

  /// Relaxed: a point reached while the script is being set may miss it; `reached` takes the lock.
  @inline(__always)
  static var isArmed: Bool { armed.load(ordering: .relaxed) }

  /// Calls `newHandler` for every point that is reached from now on; `nil` ends that.
  ///
  /// A thread may still be in the old handler when this returns.
  package static func arm(_ newHandler: Handler?) {
    handler.withLock { $0 = newHandler }
    armed.store(newHandler != nil, ordering: .relaxed)
  }

  @inline(never)
  static func reached(_ name: StaticString) {
    handler.withLock { $0 }?(name.description)
  }
}
