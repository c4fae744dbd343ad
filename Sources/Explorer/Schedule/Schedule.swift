internal import CInterlockExplorer
package import Interlock
internal import ProcessInspection

/// The steps of one execution, in their order.
package struct Schedule: Sendable, Hashable, Codable {
  /// The operation of a thread between two scheduling points.
  package struct Step: Sendable, Hashable, Codable {
    /// The number of the thread, in order of creation; 0 runs the body.
    package var thread: Int
    /// The number of the task that the thread ran, in order of first steps; `nil` for none. A part
    /// of a task between two suspensions is a thread.
    package var task: Int?
    /// The operation, such as `lock` or `semaphore wait`, or the name of the call if it differs.
    package var operation: String
    /// The number of the operation's object; 0 for none.
    package var object: Int
    /// The number of the task if the object is a task; `nil` for other objects.
    package var objectTask: Int?
    /// The call site in the user's code, outside of helpers; `nil` if unknown.
    package var place: StackFrame?
    /// The helper called at `place` that made the call; `nil` for none.
    package var helper: String?
    /// The innermost place, by which the corpus identifies the call.
    var call: StackFrame?
    /// In the weak memory model, the value that an atomic load reads, as in `reads 0`, and the
    /// newer store that it does not read; `nil` for other steps.
    package var value: String?
    /// The number of threads that could run at this point, including this one.
    package var candidates: Int
    /// True if the thread also signalled an object or resumed a task before its next step.
    var signals = false
  }

  /// An object with a known name or place.
  package struct NamedObject: Sendable, Hashable, Codable {
    /// The number of the object in the steps.
    package var number: Int
    /// A queue's label, or a file's kind and the last component of its path; `nil` for none.
    package var name: String?
    /// Where the user's code created the object, outside of helpers; `nil` if unknown.
    package var place: StackFrame?
    /// The helper called at `place` that created the object; `nil` for none.
    package var helper: String?
  }

  /// The steps that are left out in the middle of a long execution.
  package struct LeftOut: Sendable, Hashable, Codable {
    /// The number of steps before the left-out ones.
    package var after: Int
    /// The number of left-out steps.
    package var count: Int
    /// In a deadlock, the last step of each task that made no step later.
    var lastOfTasks: [Step]
  }

  /// The steps, without operations that no user code made. A long execution has only its first and
  /// last steps.
  package var steps: [Step] = []
  /// The steps missing from `steps`; `nil` for none.
  package var leftOut: LeftOut?
  /// The pending operation of each blocked thread. A report of very many has only the first ones.
  package var blocked: [Step] = []
  /// The number of blocked threads missing from `blocked`; `nil` for none.
  package var blockedLeftOut: Int?
  /// The number of switches to another thread where there was a choice.
  package var switches = 0
  /// The objects with known names or places.
  package var objects: [NamedObject] = []
  /// True if the body is a task, which the first thread only waits for.
  package var bodyIsTask = false
  /// The names of tasks by number; `nil` if the body names none.
  package var taskNames: [Int: String]?

  /// The number of all steps.
  package var stepCount: Int { steps.count + (leftOut?.count ?? 0) }

  /// The number of all blocked threads.
  package var blockedCount: Int { blocked.count + (blockedLeftOut ?? 0) }

  /// The number of steps kept from each end of an execution, more than a report shows. In a debug
  /// build, reading a step takes a hundred times as long as executing it.
  static let mostSteps = 5000
}

extension Schedule {
  /// The trace of a result, with the places of user code resolved.
  init(_ result: interlock_exploration_result) {
    let whole = UnsafeBufferPointer(start: result.trace, count: result.trace_count)
    let waiting = UnsafeBufferPointer(start: result.blocked, count: result.blocked_count)
    let isLong = whole.count > 2 * Self.mostSteps
    let left = isLong ? Self.mostSteps..<whole.count - Self.mostSteps : 0..<0
    let (first, last) = (whole[..<left.lowerBound], whole[left.upperBound...])
    let trace = Array(first) + Array(last)
    // The last steps of tasks are shown only if threads are blocked.
    let ends = isLong && !waiting.isEmpty ? Self.lastOfTasks(whole, left) : []
    var tasks: [UInt32: Int] = [:]
    // Number tasks that wait for their first step last.
    for task in (trace + ends).map(\.task) + waiting.map(\.task)
    where task > 0 && tasks[task] == nil {
      tasks[task] = tasks.count + 1
    }
    var lines = LinesOfPlaces()
    // In a trace, a task is identified by the number of its object.
    func made(_ step: interlock_exploration_step) -> Step {
      var made = Step(step, task: tasks[step.task], &lines)
      made.objectTask = made.object == 0 ? nil : tasks[step.operation.object]
      return made
    }
    steps = trace.map(made)
    if isLong {
      leftOut = LeftOut(
        after: left.lowerBound, count: left.count, lastOfTasks: ends.map(made))
    }
    showReads(trace)
    blocked = waiting.map { waiting in
      var waiting = waiting
      if let wait = Self.conditionWait(of: waiting, in: whole) { waiting.operation = wait }
      var step = interlock_exploration_step()
      (step.thread, step.task, step.stack) = (waiting.thread, waiting.task, waiting.stack)
      (step.operation, step.call) = (waiting.operation, waiting.call)
      (step.place, step.caller) = (waiting.place, waiting.caller)
      var blocked = made(step)
      if result.dry_pool_width > 0, Self.isTaskOfPool(waiting) {
        blocked.operation = Self.waitForPool
      }
      return blocked
    }
    objects = UnsafeBufferPointer(start: result.named, count: Int(result.named_count))
      .map(NamedObject.init)
    showCallSites(result, trace)
    addVariables(trace)
    objects.sort { $0.number < $1.number }
    switches = interlock_trace_switches(result.trace, result.trace_count)
  }

  /// The last step of each task that made no step after a range, without tasks that both begin and
  /// end in it.
  private static func lastOfTasks(
    _ trace: UnsafeBufferPointer<interlock_exploration_step>, _ range: Range<Int>
  ) -> [interlock_exploration_step] {
    let earlier = Set(trace[..<range.lowerBound].map(\.task))
    var later = Set(trace[range.upperBound...].map(\.task))
    var last: [interlock_exploration_step] = []
    for index in range.reversed() where trace[index].task > 0 {
      guard later.insert(trace[index].task).inserted else { continue }
      let hasEnded = withUnsafeBytes(of: trace[index].call, characters) == "end task"
      if !hasEnded || earlier.contains(trace[index].task) { last.append(trace[index]) }
    }
    return last.reversed()
  }

  /// The runtime's own jobs: one resumes a task that has slept, the other runs tasks that wait for
  /// an actor.
  fileprivate static let jobsOfRuntime: Set = ["end of sleep", "run actor"]

  /// The operation of a task that waits for a pool thread to begin or continue it.
  static let waitForPool = "wait for a thread of the pool"

  /// True if a blocked task's next step is queued on a pool and not on a serial queue before it.
  private static func isTaskOfPool(_ blocked: interlock_blocked_thread) -> Bool {
    let operation = blocked.operation
    let isJob =
      blocked.task > 0 || jobsOfRuntime.contains(withUnsafeBytes(of: blocked.call, characters))
    return isJob && operation.other == 0
      && UInt32(operation.kind) == INTERLOCK_OPERATION_BEGIN.rawValue
      && Int(operation.flags) & Int(INTERLOCK_OPERATION_CONCURRENT) != 0
  }

  /// The condition wait that a blocked thread is in, if the condition is not signalled yet. The
  /// thread's pending operation is only the later acquisition of the mutex.
  private static func conditionWait(
    of blocked: interlock_blocked_thread, in trace: UnsafeBufferPointer<interlock_exploration_step>
  ) -> interlock_operation? {
    let condition = blocked.operation.other
    guard UInt32(blocked.operation.kind) == INTERLOCK_OPERATION_LOCK.rawValue, condition != 0 else {
      return nil
    }
    for step in trace.reversed() where step.operation.object == condition {
      switch interlock_operation_kind(UInt32(step.operation.kind)) {
      case INTERLOCK_OPERATION_WAIT where step.thread == blocked.thread: return step.operation
      case INTERLOCK_OPERATION_BROADCAST: return nil
      case INTERLOCK_OPERATION_SIGNAL where step.operation.other == blocked.thread + 1: return nil
      default: continue
      }
    }
    return nil
  }

  /// Adds the values that atomic loads read in the weak memory model, and the stores they do not
  /// read.
  private mutating func showReads(_ trace: [interlock_exploration_step]) {
    for (index, read) in trace.enumerated() where read.reads_value {
      let newest = Int(read.not_read) - 1
      var place: String?
      if (0..<stepCount).contains(newest) {
        place = step(at: newest)?.place.flatMap(Self.shortPlace) ?? "step \(newest + 1)"
      }
      let half = Int64(bitPattern: read.value), upper = Int64(bitPattern: read.upper_value)
      steps[index].value =
        (read.has_wide_value ? "reads (\(half), \(upper))" : "reads \(half)")
        + (place.map { ", not yet the store of \($0)" } ?? "")
    }
  }

  /// The step at an index among all steps; `nil` if it is left out.
  private func step(at index: Int) -> Step? {
    guard let leftOut, index >= leftOut.after else { return steps[index] }
    let later = index - leftOut.count
    return later >= leftOut.after ? steps[later] : nil
  }

  /// Names the objects of memory accesses.
  private mutating func addVariables(_ trace: [interlock_exploration_step]) {
    let variables = ExploredRaces.variables
    if variables.isEmpty { return }
    for step in trace where Step.isAccess(step) {
      let number = Int(step.operation.object)
      guard let name = variables[UInt(step.place)],
        !objects.contains(where: { $0.number == number })
      else { continue }
      objects.append(NamedObject(number: number, name: name))
    }
  }

  /// The characters before the terminating zero.
  static func characters(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// The first difference between two executions with the same choices.
  static func difference(_ result: interlock_exploration_result) -> String {
    func text(_ step: interlock_exploration_step) -> String {
      if step.operation.kind == 0 { return "it was over" }
      let step = Step(step, task: nil)
      return "\(name(step.thread)) did: \(Schedule().text(step))"
    }
    return "the same choices led to other steps: at step \(result.differed_at), "
      + "\(text(result.differed.0)); the second time, \(text(result.differed.1))"
  }
}

extension Schedule.NamedObject {
  init(_ object: interlock_named_object) {
    number = Int(object.number)
    let label = withUnsafeBytes(of: object.name, Schedule.characters)
    name = label.isEmpty ? nil : label
  }
}

/// A cache of symbolicated places: a long schedule has few different ones.
struct LinesOfPlaces {
  private var known: [[UInt]: StackFrame?] = [:]

  mutating func frame(of places: [UInt]) -> StackFrame? {
    if let frame = known[places] { return frame }
    let frame = Schedule.Step.frame(of: places)
    known[places] = .some(frame)
    return frame
  }
}

extension Schedule.Step {
  init(_ step: interlock_exploration_step, task: Int?) {
    var lines = LinesOfPlaces()
    self.init(step, task: task, &lines)
  }

  init(_ step: interlock_exploration_step, task: Int?, _ lines: inout LinesOfPlaces) {
    thread = Int(step.thread)
    self.task = task
    let name = withUnsafeBytes(of: step.call, Schedule.characters)
    operation =
      name.isEmpty ? String(cString: interlock_operation_name(step.operation.kind)) : name
    // Hide the object of a begin: the user's code does not name it.
    let begins =
      step.operation.kind == INTERLOCK_OPERATION_START.rawValue || operation == "begin task"
      || operation == "continue" || Schedule.jobsOfRuntime.contains(operation)
    object = begins ? 0 : Int(step.operation.object)
    call =
      Self.isAccess(step)
      ? symbolicateAccess(UInt(step.place))
      : lines.frame(of: [UInt(step.place), UInt(step.caller)])
    // Hide a place without a line in a system library: the runtime made the call.
    place = call.flatMap { $0.line ?? 0 > 0 || !$0.isSystem ? $0 : nil }
    candidates = Int(step.enabled)
    signals = step.signals
  }

  /// True if the step is a memory access by instrumented code.
  fileprivate static func isAccess(_ step: interlock_exploration_step) -> Bool {
    switch interlock_operation_kind(UInt32(step.operation.kind)) {
    case INTERLOCK_OPERATION_READ, INTERLOCK_OPERATION_WRITE, INTERLOCK_OPERATION_READ_WRITE:
      step.call.0 != 0
    default: false
    }
  }

  /// The source line of a section, if the address stands for one, or the name of a sync point.
  private static func sectionLine(_ place: UInt) -> StackFrame? {
    var line = interlock_section_line()
    guard interlock_section_line_at(place, &line) else { return nil }
    let file = String(cString: line.file)
    if line.line == 0 { return StackFrame(address: place, function: file) }
    return StackFrame(
      address: place, function: String(cString: line.function), file: file, line: Int(line.line))
  }

  /// The first place that has a line, or else the first that has a name. The library's `withLock`
  /// is inlined into the user's code as a function without a line.
  static func frame(of places: [UInt]) -> StackFrame? {
    if let line = places.lazy.compactMap(sectionLine).first { return line }
    var known: StackFrame?
    // Symbolicate one place at a time: each takes milliseconds, and the first usually has a line.
    for place in places where place != 0 {
      for frame in symbolicate([place]) where !isOwn(frame) {
        if frame.line ?? 0 > 0 { return frame }
        known = known ?? frame
      }
    }
    return known
  }

  /// True for frames of the engine or of `explore` itself.
  private static func isOwn(_ frame: StackFrame) -> Bool {
    switch frame.file.flatMap(OwnCode.part(ofFile:)) {
    case .harness, .interposition: true
    default: false
    }
  }
}
