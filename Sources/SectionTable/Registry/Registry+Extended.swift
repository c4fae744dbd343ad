internal import Synchronization

// Sections on a part, and sections with a witness. Their additional data is in the last words of
// the record, so that other sections do not pay for it.
extension Registry {
  /// Begins a section on a part, or on the whole if `part` is `nil`. Call `followUp` next.
  ///
  /// The section is published in its resource's bucket, like a section on the whole. So at least
  /// one side sees an overlap (see `Bucket`), for two parts and for a part and the whole. Returns
  /// `nil` if tracking is switched off at run time.
  @inline(never)
  package static func beginExtended(
    _ resource: borrowing Resource, writes: Bool, part: Part?, synched: Bool,
    at site: borrowing Site
  ) -> (open: OpenSection, hasMet: Bool)? {
    let settings = HotSettings.current
    if settings.isOff { return nil }
    let entry = Entry(site, writes: writes, synched: synched)
    if settings.isExplored { ExploredSections.willBegin(resource.key, entry) }
    let scope = settings.isScoped ? Tracker.hooks.scopeOfCaller : 0
    let context = ThreadContext.current
    let owner = context.currentOwner
    let record = context.claimRecord()
    fill(record, resource, entry, of: owner, in: context)
    record[.nameLength] |= Record.extended
    captureStack(
      of: context, into: record, limit: min(settings.stackDepth, Record.extendedFrameLimit),
      scope: scope)
    record[.hasMet] = 0
    record[.partHash] = UInt(part?.hash ?? 0)
    record[.part] = Part.retain(part)

    let bucket = Bucket(of: resource.key)
    let word = SlotWord(
      record: record, key: resource.key, writes: writes, partHash: part?.hash)
    let slot = bucket.publish(word)
    context.pointee.lastSlot = slot
    context.pointee.lastWord = word
    let open = OpenSection(record: record, slot: slot, word: word, key: resource.key)
    guard !bucket.isAlone(in: slot) else { return (open, false) }
    if let part {
      guard ConflictDetection.mayConflict(open, part, of: owner, in: bucket) else {
        return (open, false)
      }
      return (open, Tracker.hooks.reportConflicts(of: open, on: part, in: bucket, on: resource))
    }
    guard ConflictDetection.conflicts(open, of: owner, in: bucket) else { return (open, false) }
    Tracker.hooks.reportConflicts(of: open, in: bucket, on: resource)
    return (open, true)
  }

  /// Begins a section on a part.
  package static func begin(
    _ resource: borrowing Resource, writes: Bool, part: Part, synched: Bool,
    at site: borrowing Site
  ) -> OpenSection? {
    guard
      let begun = beginExtended(resource, writes: writes, part: part, synched: synched, at: site)
    else {
      return nil
    }
    followUp(begun.open, hasMet: begun.hasMet)
    return begun.open
  }

  /// Ends a section on a part that `begin` returned; reports a misuse if another end came first.
  package static func end(
    _ open: OpenSection, on resource: borrowing Resource, part: Part, at site: borrowing Site
  ) {
    if !end(open) { Tracker.hooks.endedBefore(resource, part: part, at: site) }
  }

  /// The work at the begin of an extended section after looking for conflicts.
  package static func followUp(_ open: OpenSection, hasMet: Bool) {
    let settings = HotSettings.current
    guard settings.follows else { return }
    followUp(open, of: open.record[.owner], in: ThreadContext.current, hasMet: hasMet, settings)
  }

  /// Ends the section that this thread began last, if it is the current owner's in this mode on
  /// this part; otherwise returns false. It creates no `Part` for the value, which would double the
  /// cost.
  @_specialize(where Value == Int)
  @_specialize(where Value == String)
  static func endLast<Value: Hashable & Sendable>(
    _ resource: borrowing Resource, writes: Bool, part value: Value
  ) -> Bool {
    if HotSettings.current.isOff { return false }
    let context = ThreadContext.current
    let last = context.lastSection(
      on: resource.key, of: context.currentOwner, writes: writes
    ) { $0.isPart(by: value) }
    guard let last else { return false }
    return end(last)
  }

  /// Ends the innermost section of the current owner in this mode on a part, or reports why there
  /// is none.
  package static func end(
    _ resource: borrowing Resource, writes: Bool, part: Part, at site: borrowing Site
  ) {
    if HotSettings.current.isOff { return }
    let owner = ThreadContext.current.currentOwner
    if let open = innermost(on: resource.key, of: owner, writes: writes, part: part), end(open) {
      return
    }
    Tracker.hooks.endWithoutBegin(resource, writes: writes, part: part, at: site)
  }

  /// The last section of an owner on a part of a resource in a mode; on the whole if `part` is
  /// `nil`.
  package static func innermost(
    on key: ResourceKey, of owner: UInt, writes: Bool, part: Part?
  ) -> OpenSection? {
    guard let part else { return innermost(on: key, of: owner, writes: writes) }
    let last = ThreadContext.current.lastSection(on: key, of: owner, writes: writes) {
      $0.isSame(as: part)
    }
    if let last { return last }
    var found: OpenSection?
    Bucket(of: key).forEachOccupied { word, slot in
      guard word.fragment == key.fragment, word.writes == writes, word.hasPart,
        let record = word.record, record[.owner] == owner, record[.key] == UInt(key.hash),
        // The owner's own section: no other thread ends it meanwhile, and it keeps its part alive.
        Part.at(record[.part])?.isSame(as: part) == true
      else { return true }
      // Generations order the sections of one context. The sections of a task on two threads have
      // no order.
      if let known = found, known.record[.generation] > record[.generation] { return true }
      found = OpenSection(record: record, slot: slot, word: word, key: key)
      return true
    }
    return found
  }
}
