internal import CInterlock

/// What tells the order of threads: a reader of the synchronisation events, where one is linked.
struct OrderSource {
  /// An epoch of a thread: what it did up to then has happened before what another does that has
  /// seen this count.
  struct Epoch {
    /// A number of the thread.
    var slot: UInt32
    /// Grows whenever the thread gives something up to others.
    var count: UInt64
  }

  private let source: UnsafePointer<interlock_order_source>

  /// The one that is set; `nil` for none.
  @inline(__always)
  static var current: OrderSource? { interlock_get_order_source().map(OrderSource.init) }

  private init(_ source: UnsafePointer<interlock_order_source>) { self.source = source }

  /// Where the calling thread, or the task on it, is; `nil` where its order cannot be told.
  @inline(__always)
  func epoch(ofTask isTask: Bool) -> Epoch? {
    var epoch = Epoch(slot: 0, count: 0)
    guard let tell = source.pointee.moment, tell(isTask, &epoch.slot, &epoch.count) else {
      return nil
    }
    return epoch
  }

  /// Whether an epoch has happened before what the calling thread does now.
  @inline(__always)
  func isBefore(_ epoch: Epoch) -> Bool {
    guard let hasSeen = source.pointee.has_seen else { return true }
    return hasSeen(epoch.slot, epoch.count)
  }

  /// Writes what the calling thread holds, and gives how many there are.
  @inline(__always)
  func held(_ held: UnsafeMutablePointer<interlock_held_at>, capacity: Int) -> Int {
    source.pointee.held?(held, capacity) ?? 0
  }
}
