internal import CInterlock
internal import Synchronization

/// Where a thread's records live: about 6 KiB a thread, taken over by later threads, never given
/// back.
///
/// All of it is used by its own thread alone, or under the lock of `ThreadContexts`; what pointers
/// to atomics lead to lies elsewhere, and other threads look at it.
struct ThreadContext: ~Copyable {
  typealias Pointer = UnsafeMutablePointer<ThreadContext>

  /// The record that is tried first; they are taken in turn, so that an ended section can still be
  /// read.
  var next = 0
  let records: UnsafeMutablePointer<Atomic<UInt>>
  /// How many threads are reading records of this context right now: only after they met a
  /// conflict.
  let pins: UnsafeMutablePointer<Atomic<UInt>>
  /// What delays need to know of a thread: `UnsafeMutablePointer.noteActivity`.
  let activity: UnsafeMutablePointer<Atomic<UInt>>
  /// The delay that may have kept the thread from going on, by its number; 0 for none.
  let suspicion: UnsafeMutablePointer<Atomic<UInt>>
  /// `thread`, for other threads to read.
  let threadNumber: UnsafeMutablePointer<Atomic<UInt>>
  /// What delays need not look at again.
  let accesses = NotedAccesses()
  /// The section that the thread began last, open or not: an end looks here first.
  var lastSlot: Bucket.Slot?
  var lastWord = SlotWord(bits: 0)
  /// Sections begun here, ever.
  var generation: UInt = 0
  /// The owner that the thread is while no task runs on it; no two threads of a process share one.
  var threadOwner: UInt = 0
  /// The thread's number in the system.
  var thread: UInt = 0
  var stackLow: UInt = 0
  var stackHigh: UInt = 0
  /// Where libdispatch keeps the queue that the thread is on, if that is known; and the last one
  /// seen there that has its label for ever, with a copy of it: most threads are on none.
  var queueWord: UnsafePointer<UInt>
  var lastingQueue = Self.noQueue
  var lastingLabel: UInt = 0
  /// The queue label that was seen last, and its copy for ever.
  var labelSeen: UnsafePointer<CChar>?
  var labelCopy: UnsafePointer<CChar>?
  /// How histories name the thread, once it was told; 0 before.
  var nameInShadowStates: UInt = 0
  /// A context with more records, where more sections are open than this one holds.
  var spare: Pointer?
  /// The next context in the list of all; set once.
  var following: Pointer?
  /// The next context without a thread.
  var nextIdle: Pointer?

  /// No address, and not 0, which stands for being on no queue.
  static var noQueue: UInt { 1 }

  init() {
    queueWord = interlock_unknown_queue_word()
    let words = Self.recordCount * Record.wordCount
    records = zeroedWords(words + 4)
    pins = records + words
    activity = pins + 1
    suspicion = pins + 2
    threadNumber = pins + 3
  }

  /// How many milliseconds ago a thread with such an activity began its last section; up to 65
  /// seconds.
  static func age(of activity: UInt, at milliseconds: UInt) -> UInt {
    (milliseconds &- activity) & 0xFFFF
  }
}

extension UnsafeMutablePointer where Pointee == ThreadContext {
  /// The section that the thread began last, if it is this one on a part, and is open.
  func lastSection(
    on key: ResourceKey, of owner: UInt, writes: Bool, where isPart: (Part) -> Bool
  ) -> Registry.OpenSection? {
    let word = pointee.lastWord
    guard let slot = pointee.lastSlot, let record = word.record, word.hasPart,
      word.writes == writes, record[.key] == UInt(key.hash), record[.owner] == owner,
      // Only an open one keeps its part.
      slot.pointee.load(ordering: .relaxed) == word.bits,
      let part = Part.at(record[.part]), isPart(part)
    else { return nil }
    return Registry.OpenSection(record: record, slot: slot, word: word, key: key)
  }

  @inline(never)
  func claimAnotherRecord() -> Record {
    for _ in 0..<ThreadContext.recordCount {
      let index = pointee.next
      pointee.next = (index + 1) % ThreadContext.recordCount
      let record = Record(words: pointee.records + index * Record.wordCount)
      if !record.isInUse {
        pointee.generation &+= 1
        record[.generation] = pointee.generation
        record[.inUse] = 1
        return record
      }
    }
    if pointee.spare == nil { pointee.spare = ThreadContexts.make() }
    guard let spare = pointee.spare else { return claimAnotherRecord() }
    let record = spare.claimRecord()
    // Counted here, so that the sections of a thread have one order wherever their records lie.
    pointee.generation &+= 1
    record[.generation] = pointee.generation
    return record
  }

  /// Readers copy some 250 bytes and go; they are here only after a conflict.
  @inline(never)
  func waitForReaders() {
    while pointee.pins.pointee.load(ordering: .acquiring) != 0 { Platform.yield() }
  }

  @inline(never)
  func askQueueLabel() -> UInt {
    let label = queueLabel()
    let queue = pointee.queueWord.pointee
    if interlock_is_lasting_queue(queue) {
      pointee.lastingQueue = queue
      pointee.lastingLabel = label
    }
    return label
  }

  @inline(__always)
  private func queueLabel() -> UInt {
    guard let label = interlock_current_queue_label() else { return 0 }
    if label == pointee.labelSeen, let copy = pointee.labelCopy, Platform.equal(label, copy) {
      return UInt(bitPattern: copy)
    }
    return rememberQueueLabel(label)
  }

  @inline(never)
  private func rememberQueueLabel(_ label: UnsafePointer<CChar>) -> UInt {
    let copy = InternedStrings.labels.intern(label)
    pointee.labelSeen = label
    pointee.labelCopy = copy
    return UInt(bitPattern: copy)
  }

  /// Notes that the thread begins a section: a count, and the time in milliseconds in the lowest 16
  /// bits.
  @inline(__always)
  func noteActivity(at milliseconds: UInt) {
    // Relaxed, and no exchange: only this thread writes it.
    let count = pointee.activity.pointee.load(ordering: .relaxed) >> 16
    pointee.activity.pointee.store(
      (count &+ 1) << 16 | milliseconds & 0xFFFF, ordering: .relaxed)
  }

  /// What delays know of the thread: see `ThreadContext`.
  @inline(__always)
  var activity: UnsafeMutablePointer<Atomic<UInt>> { pointee.activity }
  @inline(__always)
  var suspicion: UnsafeMutablePointer<Atomic<UInt>> { pointee.suspicion }
  var threadNumber: UnsafeMutablePointer<Atomic<UInt>> { pointee.threadNumber }

  /// Visits the records in use, in this context and its spares.
  func forEachRecordInUse(_ access: (Record) -> Void) {
    for index in 0..<ThreadContext.recordCount {
      let record = Record(words: pointee.records + index * Record.wordCount)
      if record.isInUse { access(record) }
    }
    pointee.spare?.forEachRecordInUse(access)
  }
}
