internal import CMarks
internal import SectionTable
internal import Synchronization

/// Finds sections that were begun or ended wrongly.
enum MisuseDetection {
  /// Handles an end without a matching section of its owner: finds the reason, and ends the section
  /// that was meant.
  static func endWithoutBegin(
    _ resource: borrowing Resource, writes: Bool, part: Part? = nil, at site: borrowing Site
  ) {
    let key = resource.key
    let owner = ThreadContext.current.currentOwner
    var misuse = Misuse(
      kind: .endWithoutBegin, resource: resource.nameString,
      instance: resource.instanceDescription, end: site.place, begin: nil,
      thread: threadName(ThreadContext.current.pointee.thread))
    misuse.part = part?.text
    if let open = Registry.innermost(on: key, of: owner, writes: !writes, part: part) {
      misuse.kind = .endInAnotherMode
      misuse.begin = Evidence(of: open.record).place
      _ = Registry.end(open)
    } else if let (open, evidence) = anothers(
      on: key, part: part, owner: owner, writes: writes)
    {
      misuse.kind = .endByAnotherOwner
      misuse.begin = evidence.place
      // Its owner may be ending the section too: only the thread that removes it from its slot ends
      // it.
      if let open { _ = Registry.end(open, isAnothers: true) }
    }
    MisuseLog.shared.add(misuse)
  }

  /// Reports that another end came before the end of a block.
  static func endedBefore(
    _ resource: borrowing Resource, part: Part? = nil, at site: borrowing Site
  ) {
    var misuse = Misuse(
      kind: .endWithoutBegin, resource: resource.nameString,
      instance: resource.instanceDescription, end: site.place, begin: nil,
      thread: threadName(ThreadContext.current.pointee.thread))
    misuse.part = part?.text
    MisuseLog.shared.add(misuse)
  }

  /// The other owner's section that an end may have meant: the only open one in this mode, removed
  /// from its slot. If there are several, the result has no slot.
  private static func anothers(
    on key: ResourceKey, part: Part?, owner: UInt, writes: Bool
  ) -> (Registry.OpenSection?, Evidence)? {
    var found: [(SlotWord, Bucket.Slot, Evidence)] = []
    Bucket(of: key).forEachOccupied { word, slot in
      if word.fragment == key.fragment, word.writes == writes,
        word.hasPart == (part != nil),
        let evidence = Evidence.read(word, in: slot, key: key, owner: owner)
      {
        found.append((word, slot, evidence))
      }
      return true
    }
    if let part { found.removeAll { $0.2.part?.isSame(as: part) != true } }
    guard let (word, slot, evidence) = found.first else { return nil }
    guard found.count == 1, let record = word.record else { return (nil, evidence) }
    return (Registry.OpenSection(record: record, slot: slot, word: word, key: key), evidence)
  }

  /// Reports and ends the open sections of an exiting thread. Sections of a task continue
  /// elsewhere.
  static func threadExited(_ context: ThreadContext.Pointer) {
    let owner = context.pointee.threadOwner
    context.forEachRecordInUse { record in
      guard record[.owner] == owner, let (open, misuse) = read(record, as: .threadExited) else {
        return
      }
      // The thread is exiting: its order can no longer be read.
      if Registry.end(open, isAnothers: true) { MisuseLog.shared.add(misuse) }
    }
  }

  /// Reports every section that is still open when the process ends.
  static func processEnds() {
    var found: [Misuse] = []
    ThreadContexts.forEachRecordInUse { record in
      if let (_, misuse) = read(record, as: .processEnded) { found.append(misuse) }
    }
    // Report outside the pin: a handler may begin sections itself.
    for misuse in found { MisuseLog.shared.add(misuse) }
  }

  /// Reads the record of a section that was left open; `nil` if another thread is ending the
  /// section, which is no misuse.
  private static func read(
    _ record: Record, as kind: Misuse.Kind
  ) -> (Registry.OpenSection, Misuse)? {
    guard let pins = record.pins else { return nil }
    // Pin first, so that a name that is still in the record is not freed: see
    // `Registry.releaseWithAll`.
    pins.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
    // Releasing: pairs with the acquire of a thread that waits for the pins before it frees a name.
    defer { pins.pointee.wrappingSubtract(1, ordering: .releasing) }
    let isOpen = record.words[Record.Field.inUse.rawValue].load(ordering: .sequentiallyConsistent)
    guard isOpen != 0, let open = openSection(of: record) else { return nil }
    let evidence = Evidence(withPartOf: record)
    var misuse = Misuse(
      kind: kind, resource: name(in: record), instance: instance(in: record), end: nil,
      begin: evidence.place, thread: threadName(evidence.thread))
    misuse.part = evidence.part?.text
    // An end removes the section from its slot before it removes the name from the record.
    // Acquiring: the slot is read after the record.
    atomicMemoryFence(ordering: .acquiring)
    guard open.slot.pointee.load(ordering: .relaxed) == open.word.bits else { return nil }
    return (open, misuse)
  }

  /// The slot in which an open record is published.
  private static func openSection(of record: Record) -> Registry.OpenSection? {
    var found: Registry.OpenSection?
    let key = ResourceKey(hash: UInt64(record[.key]))
    Bucket(of: key).forEachOccupied { word, slot in
      guard word.record == record else { return true }
      found = Registry.OpenSection(record: record, slot: slot, word: word, key: key)
      return false
    }
    return found
  }

  private static func name(in record: Record) -> String {
    let name = Site.string(
      record[.name], record[.nameLength] & ~(Record.ownedName | Record.extended))
    return name.isEmpty ? "a @Tracked property" : name
  }

  private static func instance(in record: Record) -> String? {
    Resource.instanceDescription(instance: record[.instance], type: record[.instanceType])
  }

  private static func threadName(_ thread: UInt) -> String {
    Platform.threadName(thread) ?? "thread \(thread)"
  }
}

/// The misuses of this process, each reported once.
final class MisuseLog: Sendable {
  static let shared = MisuseLog()

  private struct State {
    var order: [Misuse] = []
    var said: Set<Misuse> = []
  }

  private let state = Guarded(State())

  func add(_ misuse: Misuse) {
    let isNew = state.withLock { state in
      guard state.said.insert(misuse).inserted else { return false }
      state.order.append(misuse)
      return true
    }
    guard isNew else { return }
    switch Settings.shared.onMisuse {
    case .log: writeError(misuse.description + "\n")
    case .record: break
    case .handler(let handler): handler(misuse)
    }
  }

  var misuses: [Misuse] { state.withLock { $0.order } }

  func removeAll() { state.withLock { $0 = State() } }
}
