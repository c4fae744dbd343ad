internal import CInterlockExplorer
package import Interlock
internal import ProcessInspection

/// The steps of one execution, in their order.
package struct Schedule: Sendable, Hashable, Codable {
  /// What a thread did between two points.
  package struct Step: Sendable, Hashable, Codable {
    /// The thread's number, in the order in which threads were made; 0 runs the body.
    package var thread: Int
    /// The number of the task that the thread ran, in the order of their first steps; `nil` for
    /// none. Each part of a task between two suspensions is a thread.
    package var task: Int?
    /// The operation, as in `lock` or `semaphore wait`, or the call where it has another name.
    package var operation: String
    /// The number of the object that the operation is on; 0 for none.
    package var object: Int
    /// The number of the task that the object is; `nil` for other objects.
    package var objectTask: Int?
    /// Where the user's code made the call, outside of helpers; `nil` if that is unknown.
    package var place: StackFrame?
    /// The helper that was called at `place` and made the call; `nil` for none.
    package var helper: String?
    /// The innermost place, by which a kept order names the call.
    var call: StackFrame?
    /// In the weak memory model, what an atomic operation reads: `reads 0`, and what it does not
    /// read yet; `nil` for other steps.
    package var value: String?
    /// How many threads could have taken the step.
    package var candidates: Int
    /// The thread also signalled something, or resumed a task, before its next step.
    var signals = false
  }

  /// An object of which more is known than its number.
  package struct NamedObject: Sendable, Hashable, Codable {
    /// The number of the object in the steps.
    package var number: Int
    /// A queue's label; of a file, what it is and the last part of its path; `nil` for none.
    package var name: String?
    /// Where the user's code made it, outside of helpers; `nil` if that is unknown.
    package var place: StackFrame?
    /// The helper that was called at `place` and made it; `nil` for none.
    package var helper: String?
  }

  /// The steps between the first and the last ones of a long execution.
  package struct LeftOut: Sendable, Hashable, Codable {
    /// The number of steps before them.
    package var after: Int
    /// How many they are.
    package var count: Int
    /// The last step of each task that made none later, in a deadlock.
    var lastOfTasks: [Step]
  }

  /// The steps, but for those of operations that no user code made; of a long execution, the first
  /// and the last ones.
  package var steps: [Step] = []
  /// The steps that are missing in `steps`; `nil` for none.
  package var leftOut: LeftOut?
  /// The operation that each blocked thread waits for.
  package var blocked: [Step] = []
  /// How often another thread took the next step although there was a choice of threads.
  package var switches = 0
  /// What is known of objects, by their numbers.
  package var objects: [NamedObject] = []
  /// The body itself is a task, which the first thread only waits for.
  package var bodyIsTask = false
  /// The names of tasks by their numbers, where the body gives them some.
  package var taskNames: [Int: String]?

  /// The number of all steps.
  package var stepCount: Int { steps.count + (leftOut?.count ?? 0) }

  /// The first steps that are kept of an execution, and as many of the last ones: more than any
  /// report shows. To read a step in a debug build takes a hundred times as long as to execute it.
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
    // A schedule shows what tasks wait for only where threads are blocked.
    let ends = isLong && !waiting.isEmpty ? Self.lastOfTasks(whole, left) : []
    var tasks: [UInt32: Int] = [:]
    // A task that waits for its first step comes last.
    for task in (trace + ends).map(\.task) + waiting.map(\.task)
    where task > 0 && tasks[task] == nil {
      tasks[task] = tasks.count + 1
    }
    var lines = LinesOfPlaces()
    // The number of a task in the trace is that of its object.
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

  /// The last step of each task that made none after a range and had not ended.
  private static func lastOfTasks(
    _ trace: UnsafeBufferPointer<interlock_exploration_step>, _ range: Range<Int>
  ) -> [interlock_exploration_step] {
    var later = Set(trace[range.upperBound...].map(\.task))
    var last: [interlock_exploration_step] = []
    for index in range.reversed() where trace[index].task > 0 {
      guard later.insert(trace[index].task).inserted else { continue }
      let hasEnded = withUnsafeBytes(of: trace[index].call, characters) == "end task"
      if !hasEnded { last.append(trace[index]) }
    }
    return last.reversed()
  }

  /// The jobs that the runtime has for itself: one continues a task that has slept, the other runs
  /// the tasks that wait for an actor.
  fileprivate static let jobsOfRuntime: Set = ["end of sleep", "run actor"]

  /// The operation of a task that no thread of its pool has begun, or continued, with.
  static let waitForPool = "wait for a thread of the pool"

  /// Whether what a blocked task has to do next is queued at a pool, and at no queue before.
  private static func isTaskOfPool(_ blocked: interlock_blocked_thread) -> Bool {
    let operation = blocked.operation
    let isJob =
      blocked.task > 0 || jobsOfRuntime.contains(withUnsafeBytes(of: blocked.call, characters))
    return isJob && operation.other == 0
      && UInt32(operation.kind) == INTERLOCK_OPERATION_BEGIN.rawValue
      && Int(operation.flags) & Int(INTERLOCK_OPERATION_CONCURRENT) != 0
  }

  /// The wait that a blocked thread is in, if a condition has to be signalled before the thread
  /// acquires the mutex again: its pending operation is the latter alone.
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

  /// Adds what the loads of atomics read in the weak memory model, and what they do not read yet.
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

  /// The step with an index among all steps; `nil` if it is left out.
  private func step(at index: Int) -> Step? {
    guard let leftOut, index >= leftOut.after else { return steps[index] }
    let later = index - leftOut.count
    return later >= leftOut.after ? steps[later] : nil
  }

  /// Names the objects of accesses of memory.
  private mutating func addVariables(_ trace: [interlock_exploration_step]) {
    let variables = SectionTracking.exploredVariables
    if variables.isEmpty { return }
    for step in trace where Step.isAccess(step) {
      let number = Int(step.operation.object)
      guard let name = variables[UInt(step.place)],
        !objects.contains(where: { $0.number == number })
      else { continue }
      objects.append(NamedObject(number: number, name: name))
    }
  }

  /// The characters before the first zero.
  static func characters(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// What differed when the same choices were made again.
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

/// The lines of places, each looked up once: a long schedule has few places.
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
    // What begins is no object that a user knows.
    let begins =
      step.operation.kind == INTERLOCK_OPERATION_START.rawValue || operation == "begin task"
      || operation == "continue" || Schedule.jobsOfRuntime.contains(operation)
    object = begins ? 0 : Int(step.operation.object)
    call =
      Self.isAccess(step)
      ? symbolicateAccess(UInt(step.place))
      : lines.frame(of: [UInt(step.place), UInt(step.caller)])
    // What the runtime calls by itself is no place of a reader's.
    place = call.flatMap { $0.line ?? 0 > 0 || !$0.isSystem ? $0 : nil }
    candidates = Int(step.enabled)
    signals = step.signals
  }

  /// Whether it is an access of memory by instrumented code.
  fileprivate static func isAccess(_ step: interlock_exploration_step) -> Bool {
    switch interlock_operation_kind(UInt32(step.operation.kind)) {
    case INTERLOCK_OPERATION_READ, INTERLOCK_OPERATION_WRITE, INTERLOCK_OPERATION_READ_WRITE:
      step.call.0 != 0
    default: false
    }
  }

  /// The line of a section, which stands for an address; the name of a sync point.
  private static func sectionLine(_ place: UInt) -> StackFrame? {
    var line = interlock_section_line()
    guard interlock_section_line_at(place, &line) else { return nil }
    let file = String(cString: line.file)
    if line.line == 0 { return StackFrame(address: place, function: file) }
    return StackFrame(
      address: place, function: String(cString: line.function), file: file, line: Int(line.line))
  }

  /// The first place that has a line: `withLock` of the library is compiled into the user's code as
  /// a function without one. Without any, the first that is known.
  static func frame(of places: [UInt]) -> StackFrame? {
    if let line = places.lazy.compactMap(sectionLine).first { return line }
    var known: StackFrame?
    // One after the other: to name a place takes milliseconds, and the first usually has its line.
    for place in places where place != 0 {
      for frame in symbolicate([place]) where !isOwn(frame) {
        if frame.line ?? 0 > 0 { return frame }
        known = known ?? frame
      }
    }
    return known
  }

  /// The engine that runs a block, or what `explore` runs a body in.
  private static func isOwn(_ frame: StackFrame) -> Bool {
    switch frame.file.flatMap(OwnCode.part(ofFile:)) {
    case .harness, .interposition: true
    default: false
    }
  }
}
