package import CMarks

/// The source of happens-before answers: a reader of the synchronisation events, if one is linked.
package struct OrderSource {
  /// An epoch of a thread. What the thread did before the end of the epoch happened before the
  /// later actions of every thread that has seen `count`.
  struct Epoch {
    /// The number of the thread.
    package var slot: UInt32
    /// Grows whenever the thread releases something to other threads.
    package var count: UInt64
  }

  private let source: UnsafePointer<interlock_order_source>

  /// The current source; `nil` for none.
  @inline(__always)
  package static var current: OrderSource? { interlock_get_order_source().map(OrderSource.init) }

  private init(_ source: UnsafePointer<interlock_order_source>) { self.source = source }

  /// The current epoch of the calling thread, or of the task on it; `nil` if the order is unknown.
  @inline(__always)
  func epoch(ofTask isTask: Bool) -> Epoch? {
    var epoch = Epoch(slot: 0, count: 0)
    guard let read = source.pointee.epoch, read(isTask, &epoch.slot, &epoch.count) else {
      return nil
    }
    return epoch
  }

  /// True if an epoch has happened before the calling thread's next action.
  @inline(__always)
  func isBefore(_ epoch: Epoch) -> Bool {
    guard let hasSeen = source.pointee.has_seen else { return true }
    return hasSeen(epoch.slot, epoch.count)
  }

  /// Writes the locks that the calling thread holds, and returns their number.
  @inline(__always)
  package func held(_ held: UnsafeMutablePointer<interlock_held_at>, capacity: Int) -> Int {
    source.pointee.held?(held, capacity) ?? 0
  }
}
