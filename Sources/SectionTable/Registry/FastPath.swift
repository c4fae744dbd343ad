// The path of a section without a conflict, from the mark to the slot and back. A debug build
// inlines nothing of another file, so this file contains the parts of each type that the path
// needs. The rest of each type is in its own file.

internal import CMarks
package import Synchronization

// Functions called by the marks. A stack begins with the caller of one of these, so any function
// between a mark and them must be inlined.
extension SectionWords {
  /// Begins a section.
  public func begin(
    writes: Bool, _ synched: Bool, _ file: StaticString, _ function: StaticString, _ line: UInt
  ) {
    _ = Registry.begin(
      resource, writes: writes, synched: synched, at: Site(file, function, line))
  }

  /// Begins a section.
  public func begin(_ entry: Entry) { _ = Registry.begin(resource, entry) }

  /// Ends the innermost section of the current owner in this mode; returns `false` if there is
  /// none. It has no place parameter: only a misuse needs the place, and passing it costs as much
  /// as the end.
  public static func end(_ key: UInt64, writes: Bool) -> Bool {
    HotSettings.current.isOff || Registry.end(ResourceKey(hash: key), writes: writes)
  }

  /// Begins the section of a block.
  public func beginBlock(_ entry: Entry) -> OpenBlock {
    OpenBlock(Registry.begin(resource, entry))
  }

  /// Begins the section of a block.
  public func beginBlock(
    writes: Bool, _ synched: Bool, _ file: StaticString, _ function: StaticString, _ line: UInt
  ) -> OpenBlock {
    OpenBlock(
      Registry.begin(
        resource, writes: writes, synched: synched, at: Site(file, function, line)))
  }

  /// Begins a section whose place is in the code that calls the caller.
  package func beginAccess(
    writes: Bool, _ file: StaticString, _ function: StaticString, _ line: UInt
  ) -> OpenBlock {
    OpenBlock(
      Registry.begin(
        resource, writes: writes, synched: false, placeFromStack: true,
        at: Site(file, function, line)))
  }

  /// The section as a resource.
  @inline(__always)
  package var resource: Resource {
    Resource(
      key: ResourceKey(hash: key), name: name, nameLength: UInt(nameLength), number: UInt(number))
  }
}

/// A section that a block has begun; `slot` is 0 if tracking is switched off.
public struct OpenBlock: Sendable {
  private let slot: UInt
  private let word: UInt
  private let key: UInt64

  @inline(__always)
  init(_ open: Registry.OpenSection?) {
    slot = UInt(bitPattern: open?.slot)
    word = open?.word.bits ?? 0
    key = open?.key.hash ?? 0
  }

  /// Ends the section; returns `false` if another end came first.
  public func end() -> Bool {
    let word = SlotWord(bits: word)
    guard let slot = Bucket.Slot(bitPattern: slot), let record = word.record else { return true }
    return Registry.end(
      Registry.OpenSection(record: record, slot: slot, word: word, key: ResourceKey(hash: key)))
  }
}

extension Registry {
  /// An open section, with the data that its end needs.
  package struct OpenSection {
    package var record: Record
    package var slot: Bucket.Slot
    /// The word stored in the slot. Only the thread that removes it has ended the section.
    package var word: SlotWord
    package var key: ResourceKey

    @inline(__always)
    package init(record: Record, slot: Bucket.Slot, word: SlotWord, key: ResourceKey) {
      self.record = record
      self.slot = slot
      self.word = word
      self.key = key
    }
  }

  /// Begins a section, and reports its conflicts before it returns.
  ///
  /// Returns `nil` if tracking is switched off at run time.
  @inline(__always)
  package static func begin(
    _ resource: borrowing Resource, writes: Bool, synched: Bool, placeFromStack: Bool = false,
    at site: borrowing Site
  ) -> OpenSection? {
    begin(resource, Entry(site, writes: writes, synched: synched, placeFromStack: placeFromStack))
  }

  @inline(__always)
  package static func begin(_ resource: borrowing Resource, _ entry: Entry) -> OpenSection? {
    let settings = HotSettings.current
    var scope: UInt = 0
    if settings.isSpecial {
      if settings.isOff { return nil }
      if settings.isScoped { scope = Tracker.hooks.scopeOfCaller }
      if settings.isExplored { ExploredSections.willBegin(resource.key, entry) }
    }
    let context = ThreadContext.current
    let owner = context.currentOwner
    let record = context.claimRecord()
    fill(record, resource, entry, of: owner, in: context)
    captureStack(of: context, into: record, limit: settings.stackDepth, scope: scope)

    let bucket = Bucket(of: resource.key)
    let word = SlotWord(record: record, key: resource.key, writes: entry.writes)
    let slot = bucket.publish(word)
    context.pointee.lastSlot = slot
    context.pointee.lastWord = word
    let open = OpenSection(record: record, slot: slot, word: word, key: resource.key)
    let meets =
      !bucket.isAlone(in: slot) && ConflictDetection.conflicts(open, of: owner, in: bucket)
    if meets { Tracker.hooks.reportConflicts(of: open, in: bucket, on: resource) }
    if settings.follows {
      // The fast path if only delays are on: no call.
      if !settings.followsDelaysAlone
        || !NearMissDelays.passes(NotedAccesses.Access(open, of: owner), in: context)
      {
        followUp(open, of: owner, in: context, hasMet: meets, settings)
      }
    }
    return open
  }

  /// Fills in all of a section's record except the stack, before the section is published.
  @inline(__always)
  static func fill(
    _ record: Record, _ resource: borrowing Resource, _ entry: Entry, of owner: UInt,
    in context: ThreadContext.Pointer
  ) {
    record[.owner] = owner
    record[.key] = UInt(resource.key.hash)
    record[.instance] = resource.instance
    record[.instanceType] = resource.instanceType
    record[.file] = entry.file
    record[.function] = entry.function
    record[.lengths] = entry.lengths
    record[.lineAndFlags] = entry.lineAndFlags
    record[.thread] = context.pointee.thread
    record[.queueLabel] = context.currentQueueLabel()
    if resource.nameIsBorrowed {
      copyName(of: resource, into: record)
    } else {
      record[.name] = resource.name
      record[.nameLength] = resource.nameLength
    }
  }

  /// Ends a section that `begin` returned; reports a misuse if another end came first.
  @inline(__always)
  package static func end(
    _ open: OpenSection, on resource: borrowing Resource, at site: borrowing Site
  ) {
    if !end(open) { Tracker.hooks.endedBefore(resource, part: nil, at: site) }
  }

  /// Ends a section of the current owner. Returns `false`, and changes nothing, if another end came
  /// first. (If that end was a misuse, the slot may hold another section in the same record by
  /// now.)
  ///
  /// With `isAnothers`, the section may belong to any owner; its end is then no epoch of that
  /// owner.
  @inline(__always)
  package static func end(_ open: OpenSection, isAnothers: Bool = false) -> Bool {
    let settings = HotSettings.current
    if settings.followsEnds { return endFollowed(open, isAnothers: isAnothers, settings) }
    return finish(open)
  }

  /// Removes a section from its slot, and releases its record. Returns `false` if another end came
  /// first.
  @inline(__always)
  package static func finish(_ open: OpenSection, followsOrder: Bool = false) -> Bool {
    guard Bucket(of: open.key).withdraw(open.word, from: open.slot) else { return false }
    if followsOrder { SectionOrder.afterEnd(open) }
    if open.record[.nameLength] & (Record.ownedName | Record.extended) != 0 {
      releaseWithAll(open.record, from: Bucket(of: open.key))
    } else {
      open.record.release()
    }
    return true
  }

  /// Ends the innermost section of the current owner in this mode on a resource; returns `false` if
  /// there is none.
  @inline(__always)
  package static func end(_ key: ResourceKey, writes: Bool) -> Bool {
    let context = ThreadContext.current
    let owner = context.currentOwner
    if let open = context.lastSection(on: key, of: owner, writes: writes), end(open) {
      return true
    }
    return endOlder(key, writes: writes, of: owner)
  }

  /// Ends the innermost section of the current owner in this mode on a resource, or reports why
  /// there is none.
  @inline(__always)
  package static func end(_ resource: borrowing Resource, writes: Bool, at site: borrowing Site) {
    if HotSettings.current.isOff { return }
    if end(resource.key, writes: writes) { return }
    Tracker.hooks.endWithoutBegin(resource, writes: writes, part: nil, at: site)
  }

  @inline(__always)
  static func captureStack(
    of context: ThreadContext.Pointer, into record: Record, limit: Int, scope: UInt
  ) {
    let scope = scope << Record.scopeShift
    guard limit > 0 else {
      record[.frameCount] = scope
      return
    }
    let count = interlock_walk_frames(
      record.frames, limit, context.pointee.stackLow, context.pointee.stackHigh)
    // A walk that finds only the direct caller has met code without frame pointers.
    if count >= 2 || limit == 1 {
      record[.frameCount] = UInt(bitPattern: count) | scope
    } else {
      record[.frameCount] =
        UInt(interlock_unwind_frames(record.frames, limit)) | Record.unwound | scope
    }
  }
}

extension HotSettings {
  static let readyFlag: UInt = 1 << 63
  static let offFlag: UInt = 1 << 62
  static let delayFlag: UInt = 1 << 61
  static let coverageFlag: UInt = 1 << 60
  static let orderFlag: UInt = 1 << 59
  static let exploredFlag: UInt = 1 << 58
  static let scopeFlag: UInt = 1 << 57

  @inline(__always)
  package static var current: HotSettings {
    // Relaxed: a setting takes effect at some later begin, and orders nothing.
    let bits = word.pointee.load(ordering: .relaxed)
    if bits != 0 { return HotSettings(bits: bits) }
    return Tracker.hooks.publishSettings()
  }

  @inline(__always)
  package init(bits: UInt) { self.bits = bits }

  @inline(__always)
  package static var word: UnsafeMutablePointer<Atomic<UInt>> {
    interlock_get_hot_settings().assumingMemoryBound(to: Atomic<UInt>.self)
  }

  @inline(__always)
  package var stackDepth: Int { Int(bits & 0xFF) }
  @inline(__always)
  package var followsOrder: Bool { bits & Self.orderFlag != 0 }
  /// True if a begin does more than look for conflicts. Tested by one branch.
  @inline(__always)
  var follows: Bool { bits & Self.followedFlags != 0 }
  @inline(__always)
  private static var followedFlags: UInt { delayFlag | coverageFlag | orderFlag | exploredFlag }
  /// True if an end does more than leave the table.
  @inline(__always)
  var followsEnds: Bool { bits & (Self.orderFlag | Self.exploredFlag) != 0 }
  /// True if near-miss delays are the only additional work.
  @inline(__always)
  var followsDelaysAlone: Bool {
    bits & Self.followedFlags == Self.delayFlag
  }
  @inline(__always)
  package var isOff: Bool { bits & Self.offFlag != 0 }
  /// True if some threads of the process are explored.
  @inline(__always)
  package var isExplored: Bool { bits & Self.exploredFlag != 0 }
  /// True if sections are attributed to scopes.
  @inline(__always)
  package var isScoped: Bool { bits & Self.scopeFlag != 0 }
  /// True if a begin needs special treatment. One branch at each begin tests all three flags.
  @inline(__always)
  var isSpecial: Bool { bits & (Self.offFlag | Self.exploredFlag | Self.scopeFlag) != 0 }
}

extension ResourceKey {
  @inline(__always)
  package init(hash: UInt64) { self.hash = hash }

  /// The part of the key that a slot holds in addition to the record's address.
  @inline(__always)
  package var fragment: UInt { UInt(hash >> 48) }

  /// The bucket's index, from other bits than the fragment.
  @inline(__always)
  var bucketIndex: Int { Int(hash & 1023) }
}

extension Resource {
  @inline(__always)
  package init(key: ResourceKey, name: UInt, nameLength: UInt, number: UInt) {
    self.key = key
    self.name = name
    self.nameLength = nameLength
    nameIsBorrowed = false
    instance = number
    instanceType = 0
  }
}

extension Site {
  @inline(__always)
  package init(_ file: StaticString, _ function: StaticString, _ line: UInt) {
    self.file = UInt(bitPattern: file.utf8Start)
    fileLength = UInt(bitPattern: file.utf8CodeUnitCount)
    self.function = UInt(bitPattern: function.utf8Start)
    functionLength = UInt(bitPattern: function.utf8CodeUnitCount)
    self.line = line
  }
}

extension Entry {
  /// Set if the section writes.
  @inlinable @inline(__always)
  public static var writesFlag: UInt { 1 << 32 }
  /// Set if the section claims that a real lock is held.
  @inlinable @inline(__always)
  public static var synchedFlag: UInt { 1 << 33 }
  package static var placeFromStackFlag: UInt { 1 << 34 }

  @inline(__always)
  package init(
    _ site: borrowing Site, writes: Bool, synched: Bool, placeFromStack: Bool = false
  ) {
    file = site.file
    function = site.function
    lengths = site.fileLength | site.functionLength << 32
    lineAndFlags =
      site.line | (writes ? Self.writesFlag : 0) | (synched ? Self.synchedFlag : 0)
      | (placeFromStack ? Self.placeFromStackFlag : 0)
  }

  @inline(__always)
  package var writes: Bool { lineAndFlags & Self.writesFlag != 0 }
}

extension SlotWord {
  @inline(__always)
  package init(bits: UInt) { self.bits = bits }

  @inline(__always)
  package init(record: Record, key: ResourceKey, writes: Bool) {
    bits = key.fragment << 48 | UInt(bitPattern: record.words) | (writes ? 1 : 0)
  }

  @inline(__always)
  package var fragment: UInt { bits >> 48 }

  @inline(__always)
  package var writes: Bool { bits & 1 != 0 }

  /// True for a section on a part.
  @inline(__always)
  package var hasPart: Bool { bits & 2 != 0 }

  /// True for a section on the whole in this mode.
  @inline(__always)
  func isOnWhole(writes: Bool) -> Bool { bits & 3 == (writes ? 1 : 0) }

  @inline(__always)
  package var record: Record? {
    UnsafeMutablePointer<Atomic<UInt>>(bitPattern: bits & 0x0000_FFFF_FFFF_FFC0).map(Record.init)
  }
}

extension Bucket {
  static let inlineSlots = 6
  /// The index of the word that counts sections in overflow in its lower half, and looks in its
  /// upper half.
  static let overflowCount = 6

  @inline(__always)
  package init(of key: ResourceKey) {
    words =
      interlock_get_buckets().assumingMemoryBound(to: Atomic<UInt>.self)
      + key.bucketIndex * Int(INTERLOCK_BUCKET_WORDS)
  }

  /// Puts a word into a free slot. Sequentially consistent: see `Bucket`.
  @inline(__always)
  package func publish(_ word: SlotWord) -> Slot {
    for index in 0..<Self.inlineSlots where Self.take(words + index, word) {
      return words + index
    }
    return publishInOverflow(word)
  }

  /// Empties a slot if it still holds the word, and returns true if it did. A wrong end elsewhere
  /// may have come first, and the slot may hold another section by now.
  ///
  /// Releasing: a lock that the caller releases next orders the look of the lock's next holder.
  @inline(__always)
  func withdraw(_ word: SlotWord, from slot: Slot) -> Bool {
    let isOurs = slot.pointee.compareExchange(
      expected: word.bits, desired: 0, successOrdering: .releasing, failureOrdering: .relaxed
    ).exchanged
    if isOurs, !isInline(slot) {
      words[Self.overflowCount].wrappingSubtract(1, ordering: .releasing)
    }
    return isOurs
  }

  /// True if a section in the first slot is alone. This is the usual case, tested without a branch
  /// for each slot.
  ///
  /// The result means nothing for a section in another slot.
  @inline(__always)
  func isAlone(in slot: Slot) -> Bool {
    guard slot == words else { return false }
    // Sequentially consistent, like every read after a publication: see `Bucket`.
    var others = words[Self.overflowCount].load(ordering: .sequentiallyConsistent)
    for index in 1..<Self.inlineSlots {
      others |= words[index].load(ordering: .sequentiallyConsistent)
    }
    return others == 0
  }

  @inline(__always)
  package static func take(_ slot: Slot, _ word: SlotWord) -> Bool {
    slot.pointee.load(ordering: .relaxed) == 0
      && slot.pointee.compareExchange(
        expected: 0, desired: word.bits, ordering: .sequentiallyConsistent
      ).exchanged
  }

  @inline(__always)
  func isInline(_ slot: Slot) -> Bool {
    // One comparison suffices: for a slot before the line the difference wraps to a huge number.
    UInt(bitPattern: slot) &- UInt(bitPattern: words)
      < UInt(Self.inlineSlots * MemoryLayout<UInt>.stride)
  }
}

/// The data of an open section, in memory that is never freed.
///
/// A record belongs to the context of the thread that began the section. Its words are atomics,
/// relaxed unless stated otherwise: the table publishes a record through a slot, and an owner that
/// finds a record through a slot has acquired its contents. Other reads are checked by
/// `generation`.
package struct Record: Equatable {
  /// The words of a record: 2,048 bits, four cache lines.
  static let wordCount = 32
  /// The most stack frames in a record.
  package static let frameLimit = 16
  /// The frame limit of an extended record, whose last words have another use.
  static let extendedFrameLimit = 12
  /// The index of the word where the stack begins.
  package static let stack = 16

  /// The words by index; the stack begins at `stack`.
  package enum Field: Int {
    /// Grows with every section that the context begins.
    case generation
    case owner
    case key
    case name
    /// The length of the name, with two flags: `ownedName` if the record owns the name's bytes, and
    /// `extended`.
    case nameLength
    case instance
    case instanceType
    case file
    case function
    /// The lengths of file and function, 32 bits each; `cString` for a zero-terminated string.
    case lengths
    /// The line (32 bits), and above it the flags of `Entry`.
    case lineAndFlags
    case thread
    case queueLabel
    /// The address of the context's pins, the only part of the context that other threads use.
    case pins
    /// The number of frames, with the flag `unwound` if the unwinder found them, and the scope from
    /// bit `scopeShift` on.
    case frameCount
    /// 1 from the claim of the record to its end.
    case inUse
    /// Only in an extended record, in place of frames: 1 once a marked writer has overlapped this
    /// section.
    case hasMet = 28
    /// The hash of the part, and the address of its `Part`, which the record owns; 0 for the whole.
    case partHash
    case part
  }

  package static let ownedName: UInt = 1 << 63
  /// Set if the record has the fields from `hasMet` on, and at most `extendedFrameLimit` frames.
  package static let extended: UInt = 1 << 62
  package static let unwound: UInt = 1 << 63
  package static let cString: UInt = 0xFFFF_FFFF
  package static let scopeShift: UInt = 8

  package let words: UnsafeMutablePointer<Atomic<UInt>>

  @inline(__always)
  package init(words: UnsafeMutablePointer<Atomic<UInt>>) {
    self.words = words
  }

  @inline(__always)
  package subscript(field: Field) -> UInt {
    get { words[field.rawValue].load(ordering: .relaxed) }
    nonmutating set { words[field.rawValue].store(newValue, ordering: .relaxed) }
  }

  @inline(__always)
  var isInUse: Bool {
    // Acquire the accesses of the thread that ended the section and released the record.
    words[Field.inUse.rawValue].load(ordering: .acquiring) != 0
  }

  /// The words of the stack, as memory for the frame walk.
  @inline(__always)
  package var frames: UnsafeMutablePointer<UInt> {
    UnsafeMutableRawPointer(words + Self.stack).assumingMemoryBound(to: UInt.self)
  }

  /// The number of threads that read records of this record's context now.
  package var pins: UnsafeMutablePointer<Atomic<UInt>>? {
    UnsafeMutablePointer(bitPattern: self[.pins])
  }

  @inline(__always)
  package var writes: Bool { self[.lineAndFlags] & Entry.writesFlag != 0 }

  /// Returns the record to its context; the caller must not use it afterwards.
  @inline(__always)
  package func release() {
    // Release the caller's accesses to the thread that claims the record next.
    words[Field.inUse.rawValue].store(0, ordering: .releasing)
  }
}

extension ThreadContext {
  static let recordCount = 24

  /// The calling thread's context.
  @inline(__always)
  package static var current: Pointer {
    if let raw = interlock_get_home() { return raw.assumingMemoryBound(to: ThreadContext.self) }
    return ThreadContexts.adopt()
  }
}

extension UnsafeMutablePointer where Pointee == ThreadContext {
  /// The current owner: the task, or the thread if there is no task. The lowest bit says which.
  @inline(__always)
  package var currentOwner: UInt {
    let task = interlock_current_task_at(pointee.taskWord)
    return task == 0 ? pointee.threadOwner : UInt(task) << 1 | 1
  }

  /// The section that the thread began last, if it matches. It may have ended: it is open if its
  /// slot still holds its word, which only this thread can put there again.
  @inline(__always)
  func lastSection(on key: ResourceKey, of owner: UInt, writes: Bool) -> Registry.OpenSection? {
    let word = pointee.lastWord
    guard let slot = pointee.lastSlot, let record = word.record,
      word.isOnWhole(writes: writes), record[.key] == UInt(key.hash), record[.owner] == owner
    else { return nil }
    return Registry.OpenSection(record: record, slot: slot, word: word, key: key)
  }

  /// Claims a free record, with a new generation.
  @inline(__always)
  func claimRecord() -> Record {
    // Acquire the reads made under a pin, before a record of this context is written again.
    if pointee.pins.pointee.load(ordering: .acquiring) != 0 { waitForReaders() }
    let index = pointee.next
    let record = Record(words: pointee.records + index &* Record.wordCount)
    if record.isInUse { return claimAnotherRecord() }
    pointee.next = index &+ 1 == ThreadContext.recordCount ? 0 : index &+ 1
    pointee.generation &+= 1
    record[.generation] = pointee.generation
    record[.inUse] = 1
    return record
  }

  /// The current queue's label in memory that outlives the queue.
  @inline(__always)
  func currentQueueLabel() -> UInt {
    if pointee.queueWord.pointee == pointee.lastingQueue { return pointee.lastingLabel }
    return askQueueLabel()
  }
}

extension NotedAccesses.Access {
  @inline(__always)
  init(_ open: Registry.OpenSection, of owner: UInt) {
    let record = open.record
    let part = open.word.hasPart ? record[.partHash] : 0
    file = record[.file]
    lineAndMode = record[.lineAndFlags] & (0xFFFF_FFFF | Entry.writesFlag)
    key = UInt(open.key.hash) ^ part
    self.owner = owner
  }
}
