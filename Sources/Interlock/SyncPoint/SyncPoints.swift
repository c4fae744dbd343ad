internal import SectionTable

/// Calls the handler when a sync point is reached. The handler is the script of this process's
/// trial.
package enum SyncPoints {
  /// Called on the thread that reached the point. The thread continues when the handler returns.
  package typealias Handler = @Sendable (_ point: String) -> Void

  // The reasons for arming the points.
  private static let script: UInt8 = 1
  private static let explored: UInt8 = 2
  private static let handler = Guarded<Handler?>(nil)

  /// Calls `newHandler` for every point that is reached from now on; `nil` removes the handler.
  ///
  /// A thread may still be in the old handler when this function returns.
  package static func arm(_ newHandler: Handler?) {
    handler.withLock { $0 = newHandler }
    ArmedSyncPoints.set(script, newHandler != nil)
  }

  /// Arms the points while some threads of the process are explored: a sync point is then a
  /// scheduling point.
  static func setExplored(_ isExplored: Bool) {
    ArmedSyncPoints.set(explored, isExplored)
  }

  static func reached(_ name: StaticString) {
    if ArmedSyncPoints.reasons & explored != 0 {
      ExploredSections.reached(syncPoint: name)
    }
    if ArmedSyncPoints.reasons & script == 0 { return }
    handler.withLock { $0 }?(name.description)
  }
}
