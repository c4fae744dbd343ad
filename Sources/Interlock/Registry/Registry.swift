internal import CInterlock
internal import Synchronization

/// Begins and ends sections. There is one registry in a process, and no lock in it.
enum Registry {
  /// A section that has been begun: what its end needs.
  struct OpenSection {
    var record: Record
    var slot: Bucket.Slot
    /// What was put into the slot: whoever takes it out has ended the section, and nobody else.
    var word: SlotWord
    var key: ResourceKey
  }

  /// Begins a section, and reports whomever it conflicts with before it returns.
  ///
  /// Returns `nil` where tracking is switched off at run time.
  @inline(__always)
  static func begin(
    _ resource: borrowing Resource, _ mode: Mode, synched: Bool, placeFromStack: Bool = false,
    at site: borrowing Site
  ) -> OpenSection? {
    begin(resource, Entry(site, mode, synched: synched, placeFromStack: placeFromStack))
  }

  @inline(__always)
  static func begin(_ resource: borrowing Resource, _ entry: Entry) -> OpenSection? {
    let settings = HotSettings.current
    if settings.isOff { return nil }
    let home = ThreadHome.current
    let owner = home.currentOwner
    let record = home.claimRecord()
    fill(record, resource, entry, of: owner, in: home)
    captureStack(of: home, into: record, limit: settings.stackDepth)

    let bucket = Bucket(of: resource.key)
    let word = SlotWord(record: record, key: resource.key, writes: entry.writes)
    let slot = bucket.publish(word)
    home.pointee.lastSlot = slot
    home.pointee.lastWord = word
    let open = OpenSection(record: record, slot: slot, word: word, key: resource.key)
    let meets = !bucket.isAlone(in: slot) && conflicts(open, of: owner, in: bucket)
    if meets { ConflictDetection.report(open, word, in: bucket, on: resource) }
    if settings.follows {
      // The usual case where only delays are on, without a call.
      if !settings.followsDelaysAlone || !NearMissDelays.passes(open, of: owner, in: home) {
        followUp(open, of: owner, in: home, hasMet: meets, settings)
      }
    }
    return open
  }

  /// Writes down what is known of a section before it is published, but for its stack.
  @inline(__always)
  static func fill(
    _ record: Record, _ resource: borrowing Resource, _ entry: Entry, of owner: UInt,
    in home: ThreadHome.Pointer
  ) {
    record[.owner] = owner
    record[.key] = UInt(resource.key.hash)
    record[.instance] = resource.instance
    record[.instanceType] = resource.instanceType
    record[.file] = entry.file
    record[.function] = entry.function
    record[.lengths] = entry.lengths
    record[.lineAndFlags] = entry.lineAndFlags
    record[.thread] = home.pointee.thread
    record[.queueLabel] = home.currentQueueLabel()
    if resource.nameIsBorrowed {
      copyName(of: resource, into: record)
    } else {
      record[.name] = resource.name
      record[.nameLength] = resource.nameLength
    }
  }

  /// What is done at a begin beside looking for conflicts, once the section is published.
  @inline(never)
  static func followUp(
    _ open: OpenSection, of owner: UInt, in home: ThreadHome.Pointer, hasMet: Bool,
    _ settings: HotSettings
  ) {
    if open.key == SelfTest.key { return }
    // First: a delay is no part of when a section begins.
    if settings.exercise { Exercise.afterBegin(open, of: owner) }
    // Before a delay, whose own locks would order what they must not.
    if settings.followsOrder { SectionOrder.afterBegin(open, of: owner, in: home) }
    // A begin on the whole has asked where delays are alone; it gets the same answer.
    guard settings.delays, !NearMissDelays.passes(open, of: owner, in: home) else { return }
    NearMissDelays.afterBegin(open, of: owner, in: home, hasMet: hasMet)
  }

  /// Whether another owner is in a section that this one, which has been published, must not meet.
  @inline(never)
  static func conflicts(_ open: OpenSection, of owner: UInt, in bucket: Bucket) -> Bool {
    var conflicts = false
    bucket.forEachOccupied { other, otherSlot in
      if otherSlot == open.slot || other.fragment != open.word.fragment { return true }
      if !other.writes && !open.word.writes { return true }
      // Of the owner's own records this is certain: nobody else reuses them. Of another's it is
      // looked at again, under a pin, before anything is reported.
      if let otherRecord = other.record, otherRecord[.owner] == owner {
        // A witness that the owner's own writer changes is no stranger's doing.
        if other.isWitnessed, otherRecord[.key] == UInt(open.key.hash) { otherRecord[.hasMet] = 1 }
        return true
      }
      conflicts = true
      return false
    }
    return conflicts
  }

  /// Ends a section that `begin` returned, and reports a misuse where another end was first.
  @inline(__always)
  static func end(_ open: OpenSection, on resource: borrowing Resource, at site: borrowing Site) {
    if !end(open) { MisuseDetection.endedBefore(resource, at: site) }
  }

  /// Ends a section of the current owner's; returns `false` where another end was first, and then touches nothing.
  /// (Where that was wrong, and has been told as a misuse, its slot may hold another section in the same record by now.)
  ///
  /// With `isAnothers`, a section of whomever: when it ends is then no moment of the owner's.
  @inline(__always)
  static func end(_ open: OpenSection, isAnothers: Bool = false) -> Bool {
    guard Bucket(of: open.key).withdraw(open.word, from: open.slot) else { return false }
    if HotSettings.current.followsOrder && !isAnothers { SectionOrder.afterEnd(open) }
    if open.record[.nameLength] & (Record.ownedName | Record.extended) != 0 {
      releaseWithAll(open.record, from: Bucket(of: open.key))
    } else {
      open.record.release()
    }
    return true
  }

  /// Ends the innermost section that the current owner has in this mode on a resource; returns `false` where
  /// there is none.
  @inline(__always)
  static func end(_ key: ResourceKey, _ mode: Mode) -> Bool {
    let home = ThreadHome.current
    let owner = home.currentOwner
    if let open = home.lastSection(on: key, of: owner, writes: mode.writes), end(open) {
      return true
    }
    return endOlder(key, mode, of: owner)
  }

  /// Ends a section that is not the last one which its thread began.
  @inline(never)
  private static func endOlder(_ key: ResourceKey, _ mode: Mode, of owner: UInt) -> Bool {
    guard let open = innermost(on: key, of: owner, writes: mode.writes) else { return false }
    return end(open)
  }

  /// Ends the innermost section that the current owner has in this mode on a resource, or reports why
  /// there is none.
  @inline(__always)
  static func end(_ resource: borrowing Resource, _ mode: Mode, at site: borrowing Site) {
    if HotSettings.current.isOff { return }
    if end(resource.key, mode) { return }
    MisuseDetection.endWithoutBegin(resource, mode, at: site)
  }

  /// The section that an owner began last on a resource in a mode.
  @inline(__always)
  static func innermost(on key: ResourceKey, of owner: UInt, writes: Bool) -> OpenSection? {
    var found: OpenSection?
    Bucket(of: key).forEachOccupied { word, slot in
      guard word.fragment == key.fragment, word.isOnWhole(writes: writes),
        let record = word.record, record[.owner] == owner, record[.key] == UInt(key.hash)
      else { return true }
      // Generations order the sections of one home; a task's sections of two threads have no order.
      if let known = found, known.record[.generation] > record[.generation] { return true }
      found = OpenSection(record: record, slot: slot, word: word, key: key)
      return true
    }
    return found
  }

  @inline(__always)
  static func captureStack(
    of home: ThreadHome.Pointer, into record: Record, limit: Int
  ) {
    guard limit > 0 else {
      record[.frameCount] = 0
      return
    }
    let count = interlock_walk_frames(
      record.frames, limit, home.pointee.stackLow, home.pointee.stackHigh)
    // A walk that sees nothing but its own caller has no frame pointers to go by.
    if count >= 2 || limit == 1 {
      record[.frameCount] = UInt(bitPattern: count)
    } else {
      record[.frameCount] = UInt(interlock_unwind_frames(record.frames, limit)) | Record.unwound
    }
  }

  @inline(never)
  private static func copyName(of resource: borrowing Resource, into record: Record) {
    let length = Int(resource.nameLength)
    let copy = UnsafeMutableRawPointer.allocate(byteCount: max(length, 1), alignment: 1)
    if let bytes = UnsafeRawPointer(bitPattern: resource.name) {
      copy.copyMemory(from: bytes, byteCount: length)
    }
    record[.name] = UInt(bitPattern: copy)
    record[.nameLength] = resource.nameLength | Record.ownedName
  }

  /// Gives back a record that owns its name, a part, or both.
  @inline(never)
  private static func releaseWithAll(_ record: Record, from bucket: Bucket) {
    let nameLength = record[.nameLength]
    let name = nameLength & Record.ownedName != 0 ? record[.name] : 0
    let isExtended = nameLength & Record.extended != 0
    let part = isExtended ? record[.part] : 0
    if isExtended { bucket.waitForLooks() }
    record[.nameLength] = 0
    // Sequentially consistent on both sides: a reader pins the home and then looks whether the record is
    // in use; here it is let go first, and the pins are looked at then. One of the two sees the other.
    record.words[Record.Field.inUse.rawValue].store(0, ordering: .sequentiallyConsistent)
    if let pins = record.pins {
      while pins.pointee.load(ordering: .sequentiallyConsistent) != 0 { Platform.yield() }
    }
    UnsafeMutableRawPointer(bitPattern: name)?.deallocate()
    Part.release(part)
  }
}
