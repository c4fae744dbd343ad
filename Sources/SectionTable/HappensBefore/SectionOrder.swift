internal import Synchronization

/// Finds sections that only chance has ordered. If a section begins after another has ended, and no
/// event orders the two, they could have overlapped.
enum SectionOrder {
  /// The keys of a section's shadow states: those in which it is looked up, and those in which it
  /// is stored.
  private struct Keys {
    var looked: (UInt, UInt?)
    var noted: (UInt, UInt?)

    /// A section on the whole is compared with wholes and parts; a section on a part, with wholes
    /// and that part. Hashes identify parts; two different parts collide once in 2^60.
    @inline(__always)
    init(_ open: Registry.OpenSection) {
      let whole = UInt(open.key.hash)
      let record = open.record
      if record[.nameLength] & Record.extended != 0, record[.part] != 0 {
        let part = Self.mixed(whole, record[.partHash] | 1 << 63)
        looked = (whole, part)
        noted = (part, Self.anyPart(of: whole))
      } else {
        let hasParts = ShadowStates.haveParts
        looked = (whole, hasParts ? Self.anyPart(of: whole) : nil)
        noted = (whole, nil)
      }
    }

    private static func anyPart(of whole: UInt) -> UInt { mixed(whole, 1) }

    private static func mixed(_ key: UInt, _ value: UInt) -> UInt {
      let product = (key ^ value).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
      return product.high ^ product.low
    }
  }

  /// Called at the end of a begin, with the published section.
  @inline(__always)
  static func afterBegin(
    _ open: Registry.OpenSection, of owner: UInt, in context: ThreadContext.Pointer
  ) {
    let keys = Keys(open)
    let thread = context.pointee.nameInShadowStates
    // The fast path does not read the epoch: a thread's own accesses are ordered. The accesses of
    // tasks on it are not.
    if owner & 1 == 0, open.record[.instanceType] == 0, isOnly(of: thread, keys.looked.0),
      keys.looked.1.map({ isOnly(of: thread, $0) }) ?? true
    {
      return
    }
    look(keys, open.record, in: context)
  }

  @inline(__always)
  private static func isOnly(of thread: UInt, _ key: UInt) -> Bool {
    ShadowStates.find(key)?.isOnly(of: thread) ?? true
  }

  @inline(never)
  private static func look(_ keys: Keys, _ record: Record, in context: ThreadContext.Pointer) {
    guard let source = OrderSource.current,
      let epoch = source.epoch(ofTask: record[.owner] & 1 != 0)
    else { return }
    context.pointee.nameInShadowStates = ShadowState.name(ofThread: epoch.slot)
    var found: [AnyObject] = []
    look(keys.looked.0, record, epoch, source, into: &found)
    if let second = keys.looked.1 { look(second, record, epoch, source, into: &found) }
    if found.isEmpty { return }
    Tracker.hooks.addUnordered(found, before: record, source)
  }

  @inline(__always)
  private static func look(
    _ key: UInt, _ record: Record, _ epoch: OrderSource.Epoch, _ source: OrderSource,
    into found: inout [AnyObject]
  ) {
    guard let shadow = ShadowStates.find(key) else { return }
    // A thread's own accesses are ordered. An access that another thread is storing right now may
    // be missed, but is never reported wrongly.
    let isObjects = record[.instanceType] != 0
    if !isObjects, record[.owner] & 1 == 0,
      shadow.isOnly(of: ShadowState.name(ofThread: epoch.slot))
    {
      return
    }
    shadow.withLock {
      guard shadow.key == key else { return }
      if isObjects { shadow.keepOnly(of: record[.instance]) }
      if isUnordered(shadow.lastWrite, record, source) {
        found.append(Tracker.hooks.copy(of: shadow.lastWrite))
      }
      guard record.writes else { return }
      for index in 0..<ShadowState.readLimit {
        let read = shadow.lastRead(index)
        if isUnordered(read, record, source) {
          found.append(Tracker.hooks.copy(of: read))
        }
      }
    }
  }

  @inline(__always)
  private static func isUnordered(
    _ past: PastAccess, _ record: Record, _ source: OrderSource
  ) -> Bool {
    // The accesses of one owner are ordered, on any threads.
    past.isThere && past.record[.owner] != record[.owner] && !source.isBefore(past.epoch)
  }

  /// Called when a section of the current owner has left the table, before its record is reused.
  @inline(never)
  static func afterEnd(_ open: Registry.OpenSection) {
    let record = open.record
    guard open.key != .unlisted, let source = OrderSource.current,
      let epoch = source.epoch(ofTask: record[.owner] & 1 != 0)
    else { return }
    let keys = Keys(open)
    note(keys.noted.0, record, epoch, clearsReads: true, source)
    guard let anyPart = keys.noted.1 else { return }
    ShadowStates.rememberParts()
    note(anyPart, record, epoch, clearsReads: false, source)
  }

  private static func note(
    _ key: UInt, _ record: Record, _ epoch: OrderSource.Epoch, clearsReads: Bool,
    _ source: OrderSource
  ) {
    let shadow = ShadowStates.find(key) ?? ShadowStates.make(key)
    shadow.withLock {
      guard shadow.key == key else { return }
      if record[.instanceType] != 0 { shadow.keepOnly(of: record[.instance]) }
      shadow.note(record, at: epoch, clearsReads: clearsReads, source)
    }
  }
}
