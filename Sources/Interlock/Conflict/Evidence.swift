internal import CMarks
internal import SectionTable
internal import Synchronization

/// A copy of a record: one side of a conflict before it is described.
struct Evidence: Sendable {
  /// The identity of a section: context and generation are unique in the process.
  struct Identity: Hashable, Comparable, Sendable {
    var context: UInt
    var generation: UInt

    static func < (left: Self, right: Self) -> Bool {
      (left.context, left.generation) < (right.context, right.generation)
    }
  }

  /// A place, by the addresses of its literals.
  struct RawPlace: Hashable, Sendable {
    var file: UInt
    var lineAndFlags: UInt
    /// A hash of the code that accesses the property, if the place is a property's declaration.
    var caller: UInt

    init(of record: Record) {
      file = record[.file]
      lineAndFlags = record[.lineAndFlags]
      let isAccessor = lineAndFlags & Entry.placeFromStackFlag != 0
      guard isAccessor else {
        caller = 0
        return
      }
      // The first three frames are the accessor of `Tracked`, the generated accessor, and the code
      // that calls it. If an accessor was inlined, the third frame is the caller of that code.
      let frames = (0..<min(3, Int(record[.frameCount] & 0xFF))).map {
        record.words[Record.stack + $0].load(ordering: .relaxed)
      }
      caller = frames.reduce(0) { $0 &* 31 &+ $1 }
    }

    /// The place of a section whose record is gone.
    init() {
      file = 0
      lineAndFlags = 0
      caller = 0
    }
  }

  var identity: Identity
  var rawPlace: RawPlace
  var owner: UInt
  var key: ResourceKey
  var mode: Mode
  var synched: Bool
  /// The part that the section is on; `nil` for the whole, or if unknown.
  var part: Part?
  var placeFromStack: Bool
  var place: Place
  var thread: UInt
  /// The thread's name, once it is read: reading it takes three system calls.
  var threadName: String?
  var queueLabel: String?
  var addresses: [UInt]
  var wasUnwound: Bool
  /// The scope that began the section; 0 for none: see `ConflictScopes`.
  var scope: UInt

  /// Copies a record that cannot change: the caller's own, or a pinned one.
  init(of record: Record) {
    identity = Identity(context: record[.pins], generation: record[.generation])
    rawPlace = RawPlace(of: record)
    owner = record[.owner]
    key = ResourceKey(hash: UInt64(record[.key]))
    let lineAndFlags = record[.lineAndFlags]
    mode = lineAndFlags & Entry.writesFlag != 0 ? .noReadWrite : .noWrite
    synched = lineAndFlags & Entry.synchedFlag != 0
    placeFromStack = lineAndFlags & Entry.placeFromStackFlag != 0
    let lengths = record[.lengths]
    place = Place(
      file: Site.string(record[.file], lengths & 0xFFFF_FFFF),
      line: Int(lineAndFlags & 0xFFFF_FFFF),
      function: Site.string(record[.function], lengths >> 32))
    thread = record[.thread]
    queueLabel = UnsafePointer<CChar>(bitPattern: record[.queueLabel]).map(String.init(cString:))
    let frameCount = record[.frameCount]
    wasUnwound = frameCount & Record.unwound != 0
    scope = frameCount >> Record.scopeShift & ConflictScopes.mostNumbers
    addresses = (0..<min(Int(frameCount & 0xFF), Record.frameLimit)).map {
      record.words[Record.stack + $0].load(ordering: .relaxed)
    }
  }

  /// Also copies the part. The record must be unable to release it meanwhile: pinned, in a look, or
  /// the caller's own.
  init(withPartOf record: Record) {
    self.init(of: record)
    if record[.nameLength] & Record.extended != 0 { part = Part.at(record[.part]) }
  }

  /// Creates the unknown writer that a witness has detected.
  init(unmarkedOn key: ResourceKey) {
    self.init(goneBehind: SlotWord(bits: 1), key: key)
    place = Place(file: "", line: 0, function: Conflict.unmarked)
  }

  /// Creates a section that ended before its record could be read: only its mode is known.
  init(goneBehind word: SlotWord, key: ResourceKey) {
    identity = Identity(context: 0, generation: 0)
    rawPlace = RawPlace()
    owner = 0
    self.key = key
    mode = word.writes ? .noReadWrite : .noWrite
    synched = false
    placeFromStack = false
    place = Place(file: "", line: 0, function: "a section that has just ended")
    thread = 0
    addresses = []
    wasUnwound = false
    scope = 0
  }

  /// Reads another owner's record, which that owner may be ending at the same time.
  ///
  /// Returns `nil` if the record belongs to another resource, or to the caller.
  static func read(
    _ word: SlotWord, in slot: Bucket.Slot, key: ResourceKey, owner: UInt
  ) -> Evidence? {
    guard let record = word.record, let pins = record.pins else { return nil }
    // A context uses its records in turn, and begins no section while it is pinned, so the record
    // now in the slot stays readable. Sequentially consistent: the pin must be visible before the
    // slot is read.
    pins.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
    defer {
      // Releasing: pairs with the acquire of the owner, which reads the pins before it writes a
      // record.
      pins.pointee.wrappingSubtract(1, ordering: .releasing)
    }
    let isStillThere = slot.pointee.load(ordering: .sequentiallyConsistent) == word.bits
    let generation = record[.generation]
    let evidence = isStillThere ? Evidence(withPartOf: record) : Evidence(of: record)
    let isWhole = generation == record[.generation]
    if isStillThere || isWhole && evidence.key == key && evidence.mode.writes == word.writes {
      return evidence.key == key && evidence.owner != owner ? evidence : nil
    }
    // The section has ended, and its context has reused all records since. The two sections did
    // overlap, because the other section was in its slot after this one was published. Nothing more
    // is known.
    return Evidence(goneBehind: word, key: key)
  }

  /// The described side, with a symbolicated stack.
  func side() -> Conflict.Side {
    let access = placeFromStack ? Symbolicator.shared.access(in: addresses) : nil
    let frames = access?.stack ?? Symbolicator.shared.frames(addresses)
    let place = access?.place(declaredAt: place) ?? place
    let task = owner & 1 == 1 ? UInt64(owner >> 1) : nil
    var side = Conflict.Side(
      mode: mode, synched: synched, place: place,
      thread: threadName ?? (thread == 0 ? "an unknown thread" : "thread \(thread)"),
      queue: knownQueue, task: task, stack: frames, stackNote: stackNote)
    side.part = part?.text
    return side
  }

  /// The property whose accessor began the section, such as `Cache.entries`.
  var property: String? {
    guard placeFromStack else { return nil }
    return PropertyAccess(of: Symbolicator.shared.named(addresses), location: { _ in nil }).property
  }

  /// The queue's label; `nil` for the default queue that Dispatch names for a thread on no queue.
  private var knownQueue: String? {
    guard let queueLabel, !queueLabel.isEmpty else { return nil }
    if queueLabel.hasPrefix("com.apple.root."),
      !(threadName.map { Platform.isWorker(named: $0, ofRootQueue: queueLabel) } ?? false)
    {
      return nil
    }
    return queueLabel
  }

  private var stackNote: String? {
    wasUnwound
      ? "found by the unwinder: this code keeps no frame pointers (-Xcc -fno-omit-frame-pointer)"
      : nil
  }
}
