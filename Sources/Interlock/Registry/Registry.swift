internal import CInterlock
internal import Synchronization

/// Begins and ends sections. There is one registry in a process, and no lock in it.
enum Registry {
  /// What is done at a begin beside looking for conflicts, once the section is published.
  @inline(never)
  static func followUp(
    _ open: OpenSection, of owner: UInt, in context: ThreadContext.Pointer, hasMet: Bool,
    _ settings: HotSettings
  ) {
    if open.key == .unlisted { return }
    // First: a delay is no part of when a section begins.
    if settings.exercise { ContentionCoverage.afterBegin(open, of: owner) }
    // Before a delay, whose own locks would order what they must not.
    if settings.followsOrder { SectionOrder.afterBegin(open, of: owner, in: context) }
    // A begin on the whole has asked where delays are alone; it gets the same answer.
    guard settings.delays,
      !NearMissDelays.passes(NotedAccesses.Access(open, of: owner), in: context)
    else { return }
    NearMissDelays.afterBegin(open, of: owner, in: context, hasMet: hasMet)
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

  /// Ends a section that is not the last one which its thread began.
  @inline(never)
  static func endOlder(_ key: ResourceKey, _ mode: Mode, of owner: UInt) -> Bool {
    guard let open = innermost(on: key, of: owner, writes: mode.writes) else { return false }
    return end(open)
  }

  /// The section that an owner began last on a resource in a mode.
  @inline(__always)
  static func innermost(on key: ResourceKey, of owner: UInt, writes: Bool) -> OpenSection? {
    var found: OpenSection?
    Bucket(of: key).forEachOccupied { word, slot in
      guard word.fragment == key.fragment, word.isOnWhole(writes: writes),
        let record = word.record, record[.owner] == owner, record[.key] == UInt(key.hash)
      else { return true }
      // Generations order the sections of one context; a task's sections of two threads have no
      // order.
      if let known = found, known.record[.generation] > record[.generation] { return true }
      found = OpenSection(record: record, slot: slot, word: word, key: key)
      return true
    }
    return found
  }

  @inline(never)
  static func copyName(of resource: borrowing Resource, into record: Record) {
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
  static func releaseWithAll(_ record: Record, from bucket: Bucket) {
    let nameLength = record[.nameLength]
    let name = nameLength & Record.ownedName != 0 ? record[.name] : 0
    let isExtended = nameLength & Record.extended != 0
    let part = isExtended ? record[.part] : 0
    if isExtended { bucket.waitForLooks() }
    record[.nameLength] = 0
    // Sequentially consistent on both sides: a reader pins the context and then looks whether the
    // record is in use; here it is let go first, and the pins are looked at then. One of the two
    // sees the other.
    record.words[Record.Field.inUse.rawValue].store(0, ordering: .sequentiallyConsistent)
    if let pins = record.pins {
      while pins.pointee.load(ordering: .sequentiallyConsistent) != 0 { Platform.yield() }
    }
    UnsafeMutableRawPointer(bitPattern: name)?.deallocate()
    Part.release(part)
  }
}
