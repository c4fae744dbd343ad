internal import CInterlockExplorer
package import Interlock

/// The steps of one execution, in their order.
package struct Schedule: Sendable, Hashable, Codable {
  /// What a thread did between two points.
  package struct Step: Sendable, Hashable, Codable {
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
  /// The operation that each blocked thread waits for.
  package var blocked: [Step] = []
  /// How often another thread took the next step although there was a choice of threads.
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
    func step(
      _ thread: UInt32, _ operation: interlock_operation, _ places: [UInt], _ candidates: UInt32
    ) -> Step {
      Step(
        thread: Int(thread), operation: String(cString: interlock_operation_name(operation.kind)),
        object: Int(operation.object), place: Self.frame(of: places), candidates: Int(candidates))
    }
    steps = trace.map {
      step($0.thread, $0.operation, [UInt($0.place), UInt($0.caller)], $0.enabled)
    }
    blocked = waiting.map { step($0.thread, $0.operation, [UInt($0.place), UInt($0.caller)], 0) }
    var previous: UInt32?
    for item in trace {
      if let before = previous, before != item.thread, item.enabled > 1 { switches += 1 }
      previous = item.thread
    }
  }

  /// The line of a section, which stands for an address; the name of a sync point.
  private static func sectionLine(_ place: UInt) -> StackFrame? {
    var line = interlock_section_line()
    guard interlock_section_line_at(place, &line) else { return nil }
    func text(_ start: UnsafePointer<CChar>?, _ length: Int) -> String? {
      guard let start, length > 0 else { return nil }
      return start.withMemoryRebound(to: UInt8.self, capacity: length) {
        String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
      }
    }
    let file = text(line.file, line.file_length)
    if line.line == 0 { return StackFrame(address: place, function: file) }
    return StackFrame(
      address: place, function: text(line.function, line.function_length), file: file,
      line: Int(line.line))
  }

  /// The first place that has a line: `withLock` of the library is compiled into the user's code as
  /// a function without one. Without any, the first that is known.
  private static func frame(of places: [UInt]) -> StackFrame? {
    if let line = places.lazy.compactMap(sectionLine).first { return line }
    let frames = places.filter { $0 != 0 }.flatMap { symbolicate([$0]) }
    return frames.first { $0.line ?? 0 > 0 } ?? frames.first
  }
}
