import Interlock

extension WaitSnapshot {
  /// The snapshot with the given stacks, by thread number.
  package func withStacks(_ stacks: [Int: [UInt]]) -> WaitSnapshot {
    var result = self
    for index in result.threads.indices {
      guard let stack = stacks[result.threads[index].id] else { continue }
      result.threads[index].stack = stack.map { StackFrame(address: $0) }
    }
    return result
  }
}
