internal import CMarks
internal import CInterlockEvents
internal import CInterlockExplorer
internal import Glibc
@testable import SectionTable
internal import Synchronization

/// The threads of a body, and the state of an execution.
final class Run {
  let threads: Int
  let sections: Int
  /// The number of threads that only read; these are the first ones.
  let readers: Int
  /// True if all sections have the same line.
  let isOnePlace: Bool
  let resource = Section("resource").resource
  private let contexts: [ThreadContext.Pointer]
  /// The section of each thread, from 0; and the threads inside of a section by the program's own
  /// account, which no point interrupts.
  var current: [Int] = []
  var inside: Set<Int> = []
  var overlaps = 0
  var hasMissed = false
  var hasLostEnd = false
  /// The sum over all executions.
  var allOverlaps = 0
  var reported = 0

  init(threads: Int, sections: Int, readers: Int, isOnePlace: Bool) {
    self.isOnePlace = isOnePlace
    self.threads = threads
    self.sections = sections
    self.readers = readers
    contexts = (0..<threads).map { _ in ThreadContexts.make() }
  }

  /// Gives the calling thread a context; `nil` removes it.
  private func adopt(_ context: ThreadContext.Pointer?) {
    interlock_events_hide_thread(true)
    interlock_set_home(context)
    interlock_events_hide_thread(false)
  }

  /// Reports a conflict outside of the exploration, which initialises every global variable.
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

  /// Resets the tracker, so that every execution begins with the same state, also after a cut one.
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
      // As in a new context: no section is open. A begin overwrites both values.
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

  /// Forgets the past: between two calls of the tracker, a thread depends only on these values.
  private func forgetPast(of number: Int, in open: Registry.OpenSection?) {
    let context = contexts[number]
    ProgramState.forget(except: [
      UInt64(current[number]), UInt64(context.pointee.next), UInt64(context.pointee.generation),
      UInt64(UInt(bitPattern: context.pointee.lastSlot)), UInt64(context.pointee.lastWord.bits),
      UInt64(UInt(bitPattern: open?.slot)), UInt64(open?.word.bits ?? 0),
    ])
  }

  private func mode(of number: Int) -> Mode { number < readers ? .noWrite : .noReadWrite }

  /// Each section has its own line, so that the log shows which two overlapped; a thread that has
  /// ended has one more line. At one place, sections are counted together.
  private func line(_ number: Int, _ section: Int) -> Int {
    isOnePlace ? 1 : 1 + number * (sections + 1) + section
  }

  /// If two owners are inside, one of them has reported the overlap before its begin returned.
  /// Runs in the step of the begin's last access. The order of two enters or of two leaves is
  /// irrelevant, but the order of an enter and a leave decides whether the two are inside together:
  /// the dependency table has the same for the begin of a read and the end of a write.
  private func enter(_ number: Int) {
    interlock_explored_accessed(INTERLOCK_OPERATION_SECTION_READ, Self.count)
    for other in inside where mode(of: number).writes || mode(of: other).writes {
      overlaps += 1
      if !reportedPairs.contains(pair(number, other)) { hasMissed = true }
    }
    inside.insert(number)
  }

  /// Leaves in the step of the first access of the section's end.
  private func leave(_ number: Int) {
    Access.atNextAccess[pthread_self()] = { [self] in
      interlock_explored_accessed(INTERLOCK_OPERATION_SECTION_WRITE_END, Self.count)
      inside.remove(number)
    }
  }

  /// The lines of the current sections of two threads.
  private func pair(_ one: Int, _ other: Int) -> Set<Int> {
    [line(one, current[one]), line(other, current[other])]
  }

  private var reportedPairs: [Set<Int>] {
    ConflictLog.shared.findings.map { Set($0.places.map(\.place.line)) }
  }

  /// A hash of all that the rest of an execution depends on. A report of a section that has ended
  /// is irrelevant.
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

  /// An address that stands for `inside` in the dependency table.
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
  /// The explored body. Not a closure of the main program, which would run on the main actor.
  static var body: @convention(c) (UnsafeMutableRawPointer?) -> Bool {
    { run in run.map { Unmanaged<Run>.fromOpaque($0).takeUnretainedValue().execute() } ?? false }
  }

  /// Runs all threads as one execution. Returns true if the tracker kept its promises.
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
