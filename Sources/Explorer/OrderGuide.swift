internal import CInterlockExplorer
internal import Interlock

/// A strategy for one execution that follows the context switches of a kept order.
final class OrderGuide {
  private let stretches: [Corpus.Stretch]
  private var next = 0
  private var counter = CallCounter()
  private var hasBegun = false

  private init(_ order: Corpus.Order) {
    stretches = order.stretches
  }

  /// The memory of the strategy: the part that the engine sees, followed by the guide.
  private struct Storage {
    var strategy: interlock_strategy
    var guide: Unmanaged<OrderGuide>
  }

  private static func guide(
    _ strategy: UnsafePointer<interlock_strategy>?
  ) -> OrderGuide {
    UnsafeRawPointer(strategy!).assumingMemoryBound(to: Storage.self).pointee.guide
      .takeUnretainedValue()
  }

  /// Creates the strategy, which frees itself and its guide in `destroy`.
  static func makeStrategy(_ order: Corpus.Order) -> UnsafeMutablePointer<interlock_strategy> {
    let storage = UnsafeMutablePointer<Storage>.allocate(capacity: 1)
    let strategy = interlock_strategy(
      name: nil,
      begin: { strategy in
        let guide = OrderGuide.guide(strategy)
        defer { guide.hasBegun = true }
        return !guide.hasBegun
      },
      choose: { OrderGuide.guide($0).choose($1!.pointee) },
      pick: { _, _ in 0 },
      pick_useful: nil,
      orders: nil,
      performed: { _, _, _, _ in },
      is_own: nil,
      end: { _, _, _ in },
      is_complete: { _ in false },
      destroy: { strategy in
        let storage = UnsafeMutableRawPointer(strategy!).assumingMemoryBound(to: Storage.self)
        storage.pointee.guide.release()
        storage.deallocate()
      })
    storage.initialize(
      to: Storage(strategy: strategy, guide: .passRetained(OrderGuide(order))))
    return UnsafeMutableRawPointer(storage).assumingMemoryBound(to: interlock_strategy.self)
  }

  private func choose(_ state: interlock_exploration_state) -> Int32 {
    let enabled = UnsafeBufferPointer(start: state.enabled, count: Int(state.enabled_count))
    let chosen = thread(enabled, current: state.current)
    if let call = pendingCall(of: chosen) { counter.count(call, of: Int(chosen)) }
    return Int32(chosen)
  }

  private func thread(_ enabled: UnsafeBufferPointer<UInt32>, current: Int32) -> UInt32 {
    while next < stretches.count {
      let stretch = stretches[next]
      let thread = UInt32(stretch.thread)
      if enabled.contains(thread) {
        guard let end = stretch.end, pendingCall(of: thread) == end else { return thread }
      }
      next += 1
    }
    if current >= 0, enabled.contains(UInt32(current)) { return UInt32(current) }
    return enabled[0]
  }

  private func pendingCall(of thread: UInt32) -> Corpus.Call? {
    var step = interlock_exploration_step()
    guard interlock_exploration_pending(thread, &step) else { return nil }
    return counter.call(Schedule.Step(step, task: nil))
  }
}
