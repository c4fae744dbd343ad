internal import CInterlock
internal import CInterlockEvents
internal import CInterlockExplorer
internal import Glibc
internal import Synchronization

/// What a body does, and the state of an execution.
final class Run {
  let threads: Int
  let sections: Int
  /// The first of the threads only read.
  let readers: Int
  let resource = Section("resource").resource
  private let contexts: [ThreadContext.Pointer]
  // What threads are in a section by the program's own count, which no point interrupts.
  var readersInside = 0
  var writersInside = 0
  var overlaps = 0
  var hasMissed = false
  var hasLostEnd = false
  /// Over all executions.
  var allOverlaps = 0
  var reported = 0

  init(threads: Int, sections: Int, readers: Int) {
    self.threads = threads
    self.sections = sections
    self.readers = readers
    contexts = (0..<threads).map { _ in ThreadContexts.make() }
  }

  /// Gives the calling thread a context; `nil` takes it away.
  private func adopt(_ context: ThreadContext.Pointer?) {
    interlock_events_hide_thread(true)
    interlock_set_home(context)
    interlock_events_hide_thread(false)
  }

  /// Reports a conflict outside of the exploration, so that every global variable is initialised.
  func warmUp() {
    begin()
    var open: [Registry.OpenSection?] = []
    for context in contexts {
      adopt(context)
      for mode in [Mode.noWrite, .noReadWrite] {
        open.append(
          Registry.begin(resource, mode, synched: false, at: Site(#fileID, #function, #line)))
      }
    }
    for section in open.reversed() { if let section { _ = Registry.end(section) } }
    adopt(nil)
  }

  /// Every execution begins with the same state of the tracker, also after one that was cut off.
  func begin() {
    let word = MemoryLayout<UInt>.size
    memset(interlock_get_buckets(), 0, Int(INTERLOCK_BUCKETS * INTERLOCK_BUCKET_WORDS) * word)
    for (number, context) in contexts.enumerated() {
      context.pointee.next = 0
      context.pointee.generation = 0
      context.pointee.threadOwner = UInt(number + 1) << 1
      context.pointee.thread = UInt(number + 1)
      context.pointee.lastSlot = nil
      memset(context.pointee.records, 0, ThreadContext.recordCount * Record.wordCount * word)
      for index in 0..<ThreadContext.recordCount {
        let record = Record(words: context.pointee.records + index * Record.wordCount)
        record[.pins] = UInt(bitPattern: context.pointee.pins)
      }
      context.pointee.pins.pointee.store(0, ordering: .relaxed)
    }
    (readersInside, writersInside, overlaps) = (0, 0, 0)
    (hasMissed, hasLostEnd) = (false, false)
    ConflictLog.shared.removeAll()
    Access.forget()
  }

  func thread(_ number: Int) {
    adopt(contexts[number])
    defer { adopt(nil) }
    let mode: Mode = number < readers ? .noWrite : .noReadWrite
    for _ in 0..<sections {
      let open = Registry.begin(
        resource, mode, synched: false, at: Site(#fileID, #function, #line))
      Access.flush()
      enter(mode)
      leave(mode)
      if let open, !Registry.end(open) { hasLostEnd = true }
    }
  }

  /// Two owners are inside: one of them has reported it before its begin returned. In the step of
  /// the begin's last access. The order of two enters is of no account, nor is that of two leaves,
  /// but that of an enter and a leave decides whether the two are inside together: so it is with
  /// the begin of a read and the end of a write in the dependency table.
  private func enter(_ mode: Mode) {
    interlock_explored_accessed(INTERLOCK_OPERATION_SECTION_READ, Self.count)
    let isConflict = mode.writes ? readersInside + writersInside > 0 : writersInside > 0
    if mode.writes { writersInside += 1 } else { readersInside += 1 }
    guard isConflict else { return }
    overlaps += 1
    if ConflictLog.shared.isEmpty { hasMissed = true }
  }

  /// In the step of the first access of the end.
  private func leave(_ mode: Mode) {
    Access.atNextAccess[pthread_self()] = { [self] in
      interlock_explored_accessed(INTERLOCK_OPERATION_SECTION_WRITE_END, Self.count)
      if mode.writes { writersInside -= 1 } else { readersInside -= 1 }
    }
  }

  /// Stands for the counts above in the dependency table.
  private static var count: UnsafeRawPointer? { UnsafeRawPointer(bitPattern: 16) }
}

/// A thread's number, and its run.
private final class Work {
  let number: Int
  let run: Run

  init(_ number: Int, _ run: Run) {
    self.number = number
    self.run = run
  }
}

extension Run {
  /// The body that is explored: not a closure of the main program, which runs on the main actor.
  static var body: @convention(c) (UnsafeMutableRawPointer?) -> Bool {
    { run in run.map { Unmanaged<Run>.fromOpaque($0).takeUnretainedValue().execute() } ?? false }
  }

  /// Runs all threads, as one execution; returns whether the tracker kept its promises.
  func execute() -> Bool {
    begin()
    var handles: [pthread_t] = []
    for number in 0..<threads {
      var thread = pthread_t()
      let work = Unmanaged.passRetained(Work(number, self)).toOpaque()
      pthread_create(
        &thread, nil,
        { argument in
          guard let argument else { return nil }
          let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
          work.run.thread(work.number)
          return nil
        }, work)
      handles.append(thread)
    }
    for thread in handles { pthread_join(thread, nil) }
    allOverlaps += overlaps
    if !ConflictLog.shared.isEmpty { reported += 1 }
    return !hasMissed && !hasLostEnd
  }
}
