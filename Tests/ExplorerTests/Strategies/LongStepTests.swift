import CInterlockExplorer
import Testing

/// Steps with many operations: a step that makes ten thousand tasks has several for each task.
@Suite struct LongStepTests {
  private func operation(_ kind: interlock_operation_kind, _ object: UInt32) -> interlock_operation
  {
    interlock_operation(kind: UInt16(kind.rawValue), flags: 0, object: object, other: 0)
  }

  /// Two threads: the first takes a step of many operations and writes an object, the second writes
  /// that object.
  @Test("the reversal of a race behind a step of 70,000 operations repeats that step")
  func repeatsLongStep() throws {
    let dpor = try #require(
      interlock_dpor_create(
        interlock_dpor_options(objects_keep_their_numbers: true, shard: 0, shards: 1)))
    defer { dpor.pointee.destroy(dpor) }
    let write = operation(INTERLOCK_OPERATION_WRITE, 1)
    let long = (0..<70_000).map { operation(INTERLOCK_OPERATION_WRITE, 2 + UInt32($0)) }
    var orders: [[Int32]] = []
    while dpor.pointee.begin(dpor) {
      var left = [[[write], long], [[write]]]
      var order: [Int32] = []
      func withState<Result>(_ work: (inout interlock_exploration_state) -> Result) -> Result {
        let pending = left.map { $0.last?[0] ?? interlock_operation() }
        let enabled = left.indices.filter { !left[$0].isEmpty }.map(UInt32.init)
        return pending.withUnsafeBufferPointer { pending in
          enabled.withUnsafeBufferPointer { enabled in
            var state = interlock_exploration_state(
              threads: UInt32(pending.count), pending: pending.baseAddress,
              enabled: enabled.baseAddress, enabled_count: UInt32(enabled.count),
              current: order.last ?? -1)
            return work(&state)
          }
        }
      }
      while left.contains(where: { !$0.isEmpty }) {
        let chosen = withState { dpor.pointee.choose(dpor, &$0) }
        guard chosen >= 0 else { break }
        var step = left[Int(chosen)].removeLast()
        order.append(chosen)
        dpor.pointee.performed(dpor, UInt32(chosen), &step, step.count)
      }
      withState { dpor.pointee.end(dpor, INTERLOCK_EXECUTION_PASSED, &$0) }
      orders.append(order)
      try #require(orders.count < 10)
    }
    #expect(orders.count == 2)
    #expect(interlock_dpor_get_statistics(dpor).incomplete == nil)
    #expect(dpor.pointee.is_complete(dpor))
  }
}
