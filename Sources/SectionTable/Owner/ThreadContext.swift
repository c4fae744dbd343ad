internal import CMarks
package import Synchronization

/// The section records of a thread: about 6 KiB, reused by later threads, never freed.
///
/// Used only by its own thread, or by any thread under the lock of `ThreadContexts`. Other threads
/// read only the atomics behind the pointers, which are in separate memory.
package struct ThreadContext: ~Copyable {
  package typealias Pointer = UnsafeMutablePointer<ThreadContext>

  /// The index of the record to try first. Records are used in turn, so that an ended section can
  /// still be read for a while.
  package var next = 0
  let records: UnsafeMutablePointer<Atomic<UInt>>
  /// The number of threads that read records of this context now, which happens only after a
  /// conflict.
  package let pins: UnsafeMutablePointer<Atomic<UInt>>
  /// The thread's activity for near-miss delays: `UnsafeMutablePointer.noteActivity`.
  package let activity: UnsafeMutablePointer<Atomic<UInt>>
  /// The number of the delay that may have blocked the thread; 0 for none.
  package let suspicion: UnsafeMutablePointer<Atomic<UInt>>
  /// `thread`, for other threads to read.
  package let threadNumber: UnsafeMutablePointer<Atomic<UInt>>
  /// The accesses that near-miss delays need not check again.
  let accesses = NotedAccesses()
  /// The slot of the section that the thread began last, open or ended. An end checks it first.
  var lastSlot: Bucket.Slot?
  var lastWord = SlotWord(bits: 0)
  /// The number of sections begun here so far.
  package var generation: UInt = 0
  /// The owner while the thread runs no task; unique in the process.
  package var threadOwner: UInt = 0
  /// The system's number of the thread.
  package var thread: UInt = 0
  var stackLow: UInt = 0
  var stackHigh: UInt = 0
  /// Where the runtime stores the thread's current task; `nil` if unknown.
  var taskWord: UnsafePointer<UInt>
  /// Where libdispatch stores the thread's current queue, `nil` if unknown; and the last queue seen
  /// there with a permanent label, with a copy of the label. Most threads run on no queue.
  var queueWord: UnsafePointer<UInt>
  var lastingQueue = Self.noQueue
  var lastingLabel: UInt = 0
  /// The last queue label seen, and its permanent copy.
  var labelSeen: UnsafePointer<CChar>?
  var labelCopy: UnsafePointer<CChar>?
  /// The thread's name in shadow states; 0 while unknown.
  var nameInShadowStates: UInt = 0
  /// A further context, for a thread with more open sections than this one holds.
  var spare: Pointer?
  /// The next context in the list of all contexts; set once.
  var following: Pointer?
  /// The next context that belongs to no thread.
  var nextIdle: Pointer?

  /// Neither an address nor 0: 0 means that the thread runs on no queue.
  static var noQueue: UInt { 1 }

  package init() {
    taskWord = interlock_unknown_task_word()
    queueWord = interlock_unknown_queue_word()
    let words = Self.recordCount * Record.wordCount
    records = zeroedWords(words + 4)
    pins = records + words
    activity = pins + 1
    suspicion = pins + 2
    threadNumber = pins + 3
  }

  /// The milliseconds since the thread with this activity began its last section, up to 65 seconds.
  package static func age(of activity: UInt, at milliseconds: UInt) -> UInt {
    (milliseconds &- activity) & 0xFFFF
  }
}

extension UnsafeMutablePointer where Pointee == ThreadContext {
  /// The section that the thread began last, if it is open and is this section on a part.
  func lastSection(
    on key: ResourceKey, of owner: UInt, writes: Bool, where isPart: (Part) -> Bool
  ) -> Registry.OpenSection? {
    let word = pointee.lastWord
    guard let slot = pointee.lastSlot, let record = word.record, word.hasPart,
      word.writes == writes, record[.key] == UInt(key.hash), record[.owner] == owner,
      // Only an open section keeps its part alive.
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
    // Count here, so that a thread's sections have one order in whichever context their records
    // lie.
    pointee.generation &+= 1
    record[.generation] = pointee.generation
    return record
  }

  /// Waits for readers, which copy some 250 bytes. There are readers only after a conflict.
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

  /// Records that the thread begins a section: increments a count, and stores the time in
  /// milliseconds in the lowest 16 bits.
  @inline(__always)
  func noteActivity(at milliseconds: UInt) {
    // Relaxed, without an exchange: only this thread writes the word.
    let count = pointee.activity.pointee.load(ordering: .relaxed) >> 16
    pointee.activity.pointee.store(
      (count &+ 1) << 16 | milliseconds & 0xFFFF, ordering: .relaxed)
  }

  /// The thread's activity: see `ThreadContext`.
  @inline(__always)
  package var activity: UnsafeMutablePointer<Atomic<UInt>> { pointee.activity }
  @inline(__always)
  package var suspicion: UnsafeMutablePointer<Atomic<UInt>> { pointee.suspicion }
  package var threadNumber: UnsafeMutablePointer<Atomic<UInt>> { pointee.threadNumber }

  /// Visits the records in use, in this context and its spares.
  package func forEachRecordInUse(_ access: (Record) -> Void) {
    forEachOwnRecordInUse(access)
    pointee.spare?.forEachRecordInUse(access)
  }

  /// Visits the records in use in this context alone.
  func forEachOwnRecordInUse(_ access: (Record) -> Void) {
    for index in 0..<ThreadContext.recordCount {
      let record = Record(words: pointee.records + index * Record.wordCount)
      if record.isInUse { access(record) }
    }
  }
}
