internal import CMarks
internal import Synchronization

/// Begins and ends sections. One registry per process, without a lock.
package enum Registry {
  /// The work of a begin after looking for conflicts, once the section is published.
  @inline(never)
  package static func followUp(
    _ open: OpenSection, of owner: UInt, in context: ThreadContext.Pointer, hasMet: Bool,
    _ settings: HotSettings
  ) {
    // The tracker's own calls are hidden from the explorer until this function returns.
    defer { if settings.isExplored { ExploredSections.done() } }
    if open.key == .unlisted { return }
    // Record the coverage first: a delay must not change the recorded time of the begin.
    if settings.coverage { ContentionCoverage.afterBegin(open, of: owner) }
    // Check the order before a delay: the delay's own locks would order sections.
    if settings.followsOrder { SectionOrder.afterBegin(open, of: owner, in: context) }
    // If only delays are on, a begin on the whole has tested this already, with the same result.
    guard settings.delays,
      !NearMissDelays.passes(NotedAccesses.Access(open, of: owner), in: context)
    else { return }
    NearMissDelays.afterBegin(open, of: owner, in: context, hasMet: hasMet)
  }

  /// Ends a section while the order of sections is followed or threads are explored.
  @inline(never)
  static func endFollowed(
    _ open: OpenSection, isAnothers: Bool, _ settings: HotSettings
  ) -> Bool {
    // An end that came first leaves nothing to end, and so no point for the explorer. Relaxed:
    // `finish` decides.
    guard open.slot.pointee.load(ordering: .relaxed) == open.word.bits else { return false }
    if settings.isExplored { ExploredSections.willEnd(open) }
    defer { if settings.isExplored { ExploredSections.done() } }
    return finish(open, followsOrder: settings.followsOrder && !isAnothers)
  }

  /// Ends a section other than the last one that its thread began.
  @inline(never)
  static func endOlder(_ key: ResourceKey, writes: Bool, of owner: UInt) -> Bool {
    guard let open = innermost(on: key, of: owner, writes: writes) else { return false }
    return end(open)
  }

  /// The last section of an owner on a resource in a mode.
  @inline(__always)
  package static func innermost(on key: ResourceKey, of owner: UInt, writes: Bool) -> OpenSection? {
    var found: OpenSection?
    Bucket(of: key).forEachOccupied { word, slot in
      guard word.fragment == key.fragment, word.isOnWhole(writes: writes),
        let record = word.record, record[.owner] == owner, record[.key] == UInt(key.hash)
      else { return true }
      // Generations order the sections of one context. The sections of a task on two threads have
      // no order.
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

  /// Releases a record that owns its name, a part, or both.
  @inline(never)
  static func releaseWithAll(_ record: Record, from bucket: Bucket) {
    let nameLength = record[.nameLength]
    let name = nameLength & Record.ownedName != 0 ? record[.name] : 0
    let isExtended = nameLength & Record.extended != 0
    let part = isExtended ? record[.part] : 0
    if isExtended { bucket.waitForLooks() }
    record[.nameLength] = 0
    // Sequentially consistent on both sides: a reader pins the context and then checks whether the
    // record is in use; this function releases the record and then reads the pins. One of the two
    // sees the other.
    record.words[Record.Field.inUse.rawValue].store(0, ordering: .sequentiallyConsistent)
    if let pins = record.pins {
      while pins.pointee.load(ordering: .sequentiallyConsistent) != 0 { Platform.yield() }
    }
    UnsafeMutableRawPointer(bitPattern: name)?.deallocate()
    Part.release(part)
  }
}
