internal import CMarks
internal import CInterlockEvents
internal import CInterlockExplorer
internal import Glibc
@testable import SectionTable
internal import Synchronization

/// What a body does, and the state of an execution.
final class Run {
  let threads: Int
  let sections: Int
  /// The first of the threads only read.
  let readers: Int
  /// All sections have one line.
  let isOnePlace: Bool
  let resource = Section("resource").resource
  private let contexts: [ThreadContext.Pointer]
  /// The section of each thread, from 0; the threads that are inside of theirs, by the program's
  /// own account, which no point interrupts.
  var current: [Int] = []
  var inside: Set<Int> = []
  var overlaps = 0
  var hasMissed = false
  var hasLostEnd = false
  /// Over all executions.
  var allOverlaps = 0
  var reported = 0

  init(threads: Int, sections: Int, readers: Int, isOnePlace: Bool) {
    self.isOnePlace = isOnePlace
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
      for writes in [false, true] {
        open.append(
          Registry.begin(
            resource, writes: writes, synched: false, at: Site(#fileID, #function, #line)))
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
    current = Array(repeating: 0, count: threads)
    inside = []
    overlaps = 0
    (hasMissed, hasLostEnd) = (false, false)
    ConflictLog.shared.removeAll()
    Access.forget()
    ProgramState.begin()
  }

  func thread(_ number: Int) {
    adopt(contexts[number])
    defer { adopt(nil) }
    for section in 0..<sections {
      current[number] = section
      // As in a new context: no section is open, and a begin overwrites both.
      contexts[number].pointee.lastSlot = nil
      contexts[number].pointee.lastWord = SlotWord(bits: 0)
      forgetPast(of: number, in: nil)
      let open = Registry.begin(
        resource, writes: mode(of: number).writes, synched: false,
        at: Site(#fileID, #function, UInt(line(number, section))))
      Access.flush()
      forgetPast(of: number, in: open)
      enter(number)
      leave(number)
      if let open, !Registry.end(open) { hasLostEnd = true }
    }
    current[number] = sections
    forgetPast(of: number, in: nil)
  }

  /// Between two calls of the tracker, a thread depends only on its context and its open section.
  private func forgetPast(of number: Int, in open: Registry.OpenSection?) {
    let context = contexts[number]
    ProgramState.forget(except: [
      UInt64(current[number]), UInt64(context.pointee.next), UInt64(context.pointee.generation),
      UInt64(UInt(bitPattern: context.pointee.lastSlot)), UInt64(context.pointee.lastWord.bits),
      UInt64(UInt(bitPattern: open?.slot)), UInt64(open?.word.bits ?? 0),
    ])
  }

  private func mode(of number: Int) -> Mode { number < readers ? .noWrite : .noReadWrite }

  /// Each section has a line of its own, so that the log tells which two have met; one more for a
  /// thread that has ended. At one place, sections are counted together.
  private func line(_ number: Int, _ section: Int) -> Int {
    isOnePlace ? 1 : 1 + number * (sections + 1) + section
  }

  /// Two owners are inside: one of them has reported it before its begin returned. In the step of
  /// the begin's last access. The order of two enters is of no account, nor is that of two leaves,
  /// but that of an enter and a leave decides whether the two are inside together: so it is with
  /// the begin of a read and the end of a write in the dependency table.
  private func enter(_ number: Int) {
    interlock_explored_accessed(INTERLOCK_OPERATION_SECTION_READ, Self.count)
    for other in inside where mode(of: number).writes || mode(of: other).writes {
      overlaps += 1
      if !reportedPairs.contains(pair(number, other)) { hasMissed = true }
    }
    inside.insert(number)
  }

  /// In the step of the first access of the end.
  private func leave(_ number: Int) {
    Access.atNextAccess[pthread_self()] = { [self] in
      interlock_explored_accessed(INTERLOCK_OPERATION_SECTION_WRITE_END, Self.count)
      inside.remove(number)
    }
  }

  /// The lines of the sections in which two threads are.
  private func pair(_ one: Int, _ other: Int) -> Set<Int> {
    [line(one, current[one]), line(other, current[other])]
  }

  private var reportedPairs: [Set<Int>] {
    ConflictLog.shared.findings.map { Set($0.places.map(\.place.line)) }
  }

  /// All that the rest of an execution depends on, as a hash. A report of a section that has ended
  /// does not matter any more.
  var state: UInt64 {
    let reported = reportedPairs
    var values = Access.state
    for one in 0..<threads {
      for other in 0..<one {
        values.append(reported.contains(pair(one, other)) ? 1 : 0)
      }
      values.append(inside.contains(one) ? 1 : 0)
    }
    return ProgramState.hash(with: values + [hasMissed ? 1 : 0, hasLostEnd ? 1 : 0])
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
    if !ConflictLog.shared.findings.isEmpty { reported += 1 }
    return !hasMissed && !hasLostEnd
  }
}
