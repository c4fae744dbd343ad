internal import CInterlockExplorer
package import Interlock

/// The steps of one execution, in their order.
package struct Schedule: Sendable {
  /// What a thread did between two points.
  package struct Step: Sendable {
    /// The thread's number, in the order in which threads were made; 0 runs the body.
    package var thread: Int
    /// The operation, as in `lock` or `semaphore wait`.
    package var operation: String
    /// The number of the object that the operation is on; 0 for none.
    package var object: Int
    /// Where the user's code made the call; `nil` if that is unknown.
    package var place: StackFrame?
    /// How many threads could have taken the step.
    package var candidates: Int
  }

  /// The steps, but for those of operations that no user code made.
  package var steps: [Step] = []
  /// What each thread that cannot go on waits for.
  package var blocked: [Step] = []
  /// How often another thread than that of the step before was chosen although that one could have
  /// gone on.
  package var switches = 0
}

extension Schedule {
  /// The trace of a result, with the places of user code resolved.
  init(_ result: interlock_exploration_result) {
    let trace = UnsafeBufferPointer(start: result.trace, count: result.trace_count)
    var waiting: [interlock_blocked_thread] = []
    withUnsafeBytes(of: result.blocked) { bytes in
      waiting = Array(
        bytes.bindMemory(to: interlock_blocked_thread.self).prefix(Int(result.blocked_count)))
    }
    let places = Set(trace.map { UInt($0.place) } + waiting.map { UInt($0.place) }).subtracting([0])
    let known = Dictionary(
      places.map { ($0, Self.frame(at: $0)) }, uniquingKeysWith: { first, _ in first })
    func step(
      _ thread: UInt32, _ operation: interlock_operation, _ place: UInt, _ candidates: UInt32
    ) -> Step {
      Step(
        thread: Int(thread), operation: String(cString: interlock_operation_name(operation.kind)),
        object: Int(operation.object), place: known[place] ?? nil, candidates: Int(candidates))
    }
    steps = trace.map { step($0.thread, $0.operation, UInt($0.place), $0.enabled) }
    blocked = waiting.map { step($0.thread, $0.operation, UInt($0.place), 0) }
    var previous: UInt32?
    for item in trace {
      if let before = previous, before != item.thread, item.enabled > 1 { switches += 1 }
      previous = item.thread
    }
  }

  private static func frame(at place: UInt) -> StackFrame? {
    let frames = symbolicate([place])
    return frames.first { $0.file != nil } ?? frames.first
  }
}
