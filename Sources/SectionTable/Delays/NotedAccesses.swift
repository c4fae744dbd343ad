internal import Synchronization

/// The accesses that a thread has entered in the table of recent accesses at its last reading of
/// the clock. Every thread that has accessed the resource since then has found them there, and has
/// armed the pair. If the thread repeats an access within the same tick of the coarse clock, it has
/// nothing to enter or look up.
///
/// Reading that clock costs as much as all the rest. An access that has been repeated several times
/// within one tick is therefore assumed to repeat a few more times without a reading. If the tick
/// ends meanwhile, these few begins use an old time, and are not entered.
///
/// Used only by its own thread.
struct NotedAccesses {
  /// The owner, the place and the resource of an access. Stored in full: comparing is faster than
  /// hashing.
  struct Access {
    let file: UInt
    let lineAndMode: UInt
    let key: UInt
    let owner: UInt

    init(file: UInt, lineAndFlags: UInt, on key: UInt, of owner: UInt) {
      self.file = file
      lineAndMode = lineAndFlags & (0xFFFF_FFFF | Entry.writesFlag)
      self.key = key
      self.owner = owner
    }
  }

  /// The state of an access, in one cache line.
  struct Known {
    fileprivate var access: Access
    fileprivate(set) var place: PlaceNumber
    /// The number of armed pairs of the place; `nil` if a begin there must also check something
    /// else.
    fileprivate let armedPairs: DelayTables.Words?
    /// When the access was entered, in milliseconds of the coarse clock, and how often it was
    /// repeated in that tick.
    fileprivate var notedAt: UInt
    fileprivate var returns: UInt32 = 0
    /// The number of further repetitions that do not read the clock.
    fileprivate var passesLeft: UInt32 = 0

    /// True if the access can be counted without reading the clock, and nothing else needs a check.
    @inline(__always)
    mutating func passes() -> Bool {
      guard passesLeft != 0, let armedPairs, armedPairs.pointee.load(ordering: .relaxed) == 0 else {
        return false
      }
      passesLeft &-= 1
      return true
    }

    /// The time in milliseconds, and true if the access was entered at that time. Calls `clock`
    /// only if needed.
    @inline(__always)
    mutating func time(_ clock: () -> UInt) -> (now: UInt, isNoted: Bool) {
      if passesLeft != 0 {
        passesLeft &-= 1
        return (notedAt, true)
      }
      let now = clock()
      guard now == notedAt else { return (now, false) }
      returns &+= 1
      if returns >= NotedAccesses.busy { passesLeft = NotedAccesses.passesAtOnce }
      return (now, true)
    }
  }

  /// The number of repetitions within a tick after which some further ones do not read the clock.
  static let busy: UInt32 = 8
  static let passesAtOnce: UInt32 = 3
  private static let count: UInt = 8

  private let slots: UnsafeMutablePointer<Known>

  /// Allocates memory that is never freed.
  init() {
    let size = Int(Self.count) * MemoryLayout<Known>.stride
    // An entry without an owner matches no access.
    let nothing = Known(
      access: Access(file: 0, lineAndFlags: 0, on: 0, of: 0), place: PlaceNumber(bits: 0),
      armedPairs: nil, notedAt: 0)
    slots = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
      .initializeMemory(as: Known.self, repeating: nothing, count: Int(Self.count))
  }

  /// The state of an access; `nil` if another access has its slot. Valid until the next `note`.
  @inline(__always)
  func known(_ access: Access) -> UnsafeMutablePointer<Known>? {
    let slot = slot(of: access)
    let noted = slot.pointee.access
    // Compare without branches: the fields are nearly always equal.
    let differences =
      noted.file ^ access.file | noted.lineAndMode ^ access.lineAndMode | noted.key ^ access.key
      | noted.owner ^ access.owner
    return differences == 0 ? slot : nil
  }

  /// Stores an access in its slot. The access that was there before is entered again when it is
  /// repeated. `armedPairs` as in `Known`.
  func note(
    _ access: Access, at place: PlaceNumber, at milliseconds: UInt,
    armedPairs: DelayTables.Words? = nil
  ) {
    slot(of: access).pointee = Known(
      access: access, place: place, armedPairs: armedPairs, notedAt: milliseconds)
  }

  /// The slot by line, mode and resource, which distinguish most accesses of a thread.
  @inline(__always)
  private func slot(of access: Access) -> UnsafeMutablePointer<Known> {
    let line = access.lineAndMode
    return slots + Int((line ^ line >> 32 & 1 ^ access.key) & (Self.count - 1))
  }
}

// Kept in this file: a debug build inlines nothing of another file.
extension NearMissDelays {
  /// Counts a begin that repeats the thread's recent access; returns false if there is more to do.
  /// Without probes, it returns true for three of four begins of a busy place.
  @inline(__always)
  static func passes(_ access: NotedAccesses.Access, in context: ThreadContext.Pointer) -> Bool {
    guard !context.isSuspected, let known = context.pointee.accesses.known(access),
      known.pointee.passes()
    else { return false }
    context.noteActivity()
    return true
  }
}

extension UnsafeMutablePointer where Pointee == ThreadContext {
  /// Counts a begin so soon after another that it can use that one's time.
  @inline(__always)
  func noteActivity() {
    // Relaxed, without an exchange: only this thread writes the word.
    let count = pointee.activity.pointee.load(ordering: .relaxed)
    pointee.activity.pointee.store(count &+ 1 << 16, ordering: .relaxed)
  }

  /// True if a delay may have blocked the thread, and the thread has begun no section since.
  @inline(__always)
  package var isSuspected: Bool { suspicion.pointee.load(ordering: .relaxed) != 0 }
}
