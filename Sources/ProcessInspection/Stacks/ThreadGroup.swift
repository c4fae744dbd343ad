package import Interlock

/// Threads of a process that have equal stacks at one moment.
package struct ThreadGroup: Sendable, Hashable, Codable {
  /// How many threads have this stack.
  package var count: Int
  /// The name of one of them, as the system has it.
  package var name: String
  /// The system's word for their state: `running`, `sleeping`, `blocked` (uninterruptible), …
  package var state: String
  /// The stack, innermost first; empty if it could not be captured.
  package var stack: [StackFrame]

  /// Describes equal threads.
  package init(count: Int, name: String, state: String, stack: [StackFrame]) {
    self.count = count
    self.name = name
    self.state = state
    self.stack = stack
  }
}
