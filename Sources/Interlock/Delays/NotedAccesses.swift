internal import Synchronization

/// What a thread noted in the table of recent accesses when it last asked for the time: whoever
/// came to the resource since has seen it there, and has armed the pair. So the thread has nothing
/// to note, nor to look for, if it comes by again within the same tick of the coarse clock.
///
/// Even that clock costs as much as all the rest of it. So an access that keeps coming within one
/// tick is taken to come a few times more without asking: where it stays away instead, as many of
/// its begins pass for older than they are, and note nothing.
///
/// Used by its own thread alone.
struct NotedAccesses {
  /// An owner at a place on a resource. As it is, not as a hash: to compare is quicker than to mix.
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

  /// What is known of an access: a cache line.
  struct Known {
    fileprivate var access: Access
    fileprivate(set) var place: PlaceNumber
    /// How many armed pairs the place is in; `nil` where these are not all that a begin there is
    /// looked at for.
    fileprivate let armedPairs: DelayTables.Words?
    /// When it was noted, in milliseconds of the coarse clock, and how often it has come again in
    /// that tick.
    fileprivate var notedAt: UInt
    fileprivate var returns: UInt32 = 0
    /// So many next times do not ask for the time.
    fileprivate var passesLeft: UInt32 = 0

    /// Whether the access does not ask for the time, and there is nothing else to look for.
    @inline(__always)
    mutating func passes() -> Bool {
      guard passesLeft != 0, let armedPairs, armedPairs.pointee.load(ordering: .relaxed) == 0 else {
        return false
      }
      passesLeft &-= 1
      return true
    }

    /// The time, in milliseconds, and whether the access has been noted in it; `clock` is asked
    /// where it has to be.
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

  /// So many times an access must have come again within a tick, for as many next ones not to ask
  /// for the time.
  static let busy: UInt32 = 8
  static let passesAtOnce: UInt32 = 3
  private static let count: UInt = 8

  private let slots: UnsafeMutablePointer<Known>

  /// Takes its memory, which is never given back.
  init() {
    let size = Int(Self.count) * MemoryLayout<Known>.stride
    // Of no owner, as no access is.
    let nothing = Known(
      access: Access(file: 0, lineAndFlags: 0, on: 0, of: 0), place: PlaceNumber(bits: 0),
      armedPairs: nil, notedAt: 0)
    slots = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
      .initializeMemory(as: Known.self, repeating: nothing, count: Int(Self.count))
  }

  /// What is known of an access; `nil` for one whose slot is another's. Good until the next `note`.
  @inline(__always)
  func known(_ access: Access) -> UnsafeMutablePointer<Known>? {
    let slot = slot(of: access)
    let noted = slot.pointee.access
    // Without a branch for each: they agree nearly always.
    let differences =
      noted.file ^ access.file | noted.lineAndMode ^ access.lineAndMode | noted.key ^ access.key
      | noted.owner ^ access.owner
    return differences == 0 ? slot : nil
  }

  /// Keeps an access; another in the same slot is noted anew when it comes again. `armedPairs` as
  /// in `Known`.
  func note(
    _ access: Access, at place: PlaceNumber, at milliseconds: UInt,
    armedPairs: DelayTables.Words? = nil
  ) {
    slot(of: access).pointee = Known(
      access: access, place: place, armedPairs: armedPairs, notedAt: milliseconds)
  }

  /// By line, mode and resource: what a thread does in turn is mostly told apart by these.
  @inline(__always)
  private func slot(of access: Access) -> UnsafeMutablePointer<Known> {
    let line = access.lineAndMode
    return slots + Int((line ^ line >> 32 & 1 ^ access.key) & (Self.count - 1))
  }
}

// Beside the accesses: a debug build inlines nothing of another file.
extension NearMissDelays {
  /// Whether a section begins where its thread has just been, and nothing is to be done but to note
  /// that it goes on: three of four begins of a busy place, where no probes are made. Where it
  /// does, that is counted.
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
  /// Notes that it begins one so soon after another that the time of that one will do.
  @inline(__always)
  func noteActivity() {
    // Relaxed, and no exchange: only this thread writes it.
    let count = pointee.activity.pointee.load(ordering: .relaxed)
    pointee.activity.pointee.store(count &+ 1 << 16, ordering: .relaxed)
  }

  /// Whether a delay may have kept the thread from going on, and it has begun no section since.
  @inline(__always)
  var isSuspected: Bool { suspicion.pointee.load(ordering: .relaxed) != 0 }
}
