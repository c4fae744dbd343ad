import Interlock

extension WaitSnapshot {
  /// The snapshot with the stacks of its threads, by their numbers.
  package func withStacks(_ stacks: [Int: [UInt]]) -> WaitSnapshot {
    var result = self
    for index in result.threads.indices {
      guard let stack = stacks[result.threads[index].id] else { continue }
      result.threads[index].stack = stack.map { StackFrame(address: $0) }
    }
    return result
  }
}
