internal import CInterlock
internal import Synchronization

/// What is known of one open section, in memory that is never given back.
///
/// A record belongs to the home of the thread that began the section. Its words are atomics, relaxed
/// unless said otherwise: the table publishes a record by a slot, and an owner that finds a record through
/// a slot has acquired what was stored before. What is read without that is checked by `generation`.
struct Record: Equatable {
  /// Words a record has: 2,048 bits, four cache lines.
  static let wordCount = 32
  /// The most frames of a stack that a record holds.
  static let frameLimit = 16
  /// The same of an extended record, whose last words are used otherwise.
  static let extendedFrameLimit = 12
  /// The word where the stack begins.
  static let stack = 16

  /// The words' meaning by position; from `stack` on they are the stack.
  enum Field: Int {
    /// Grows with every section begun on the home.
    case generation
    case owner
    case key
    case name
    /// The name's length, with `ownedName` where the record owns the name's bytes, and `extended`.
    case nameLength
    case instance
    case instanceType
    case file
    case function
    /// Lengths of file and function, 32 bits each; `cString` for a string that ends by itself.
    case lengths
    /// Line (32 bits), then the flags of `Entry`.
    case lineAndFlags
    case thread
    case queueLabel
    /// The address of the home's pins, which is what others know of a home.
    case pins
    /// How many frames, with `unwound` where the unwinder found them.
    case frameCount
    /// 1 from claim to end.
    case inUse
    /// Of an extended record, in the place of frames: 1 once a marked writer was in beside this section.
    case hasMet = 28
    /// The hash of the part, and its `Part` as an address, which the record owns; 0 for the whole.
    case partHash
    case part
  }

  static let ownedName: UInt = 1 << 63
  /// The record has the fields from `hasMet` on, and `extendedFrameLimit` frames at most.
  static let extended: UInt = 1 << 62
  static let unwound: UInt = 1 << 63
  static let cString: UInt = 0xFFFF_FFFF

  let words: UnsafeMutablePointer<Atomic<UInt>>

  @inline(__always)
  init(words: UnsafeMutablePointer<Atomic<UInt>>) {
    self.words = words
  }

  @inline(__always)
  subscript(field: Field) -> UInt {
    get { words[field.rawValue].load(ordering: .relaxed) }
    nonmutating set { words[field.rawValue].store(newValue, ordering: .relaxed) }
  }

  @inline(__always)
  var isInUse: Bool {
    // Acquires what the thread that ended the section did with the record before it let go.
    words[Field.inUse.rawValue].load(ordering: .acquiring) != 0
  }

  /// The words of the stack, as memory for the frame walk.
  @inline(__always)
  var frames: UnsafeMutablePointer<UInt> {
    UnsafeMutableRawPointer(words + Self.stack).assumingMemoryBound(to: UInt.self)
  }

  /// How many threads are reading records of this one's home right now.
  var pins: UnsafeMutablePointer<Atomic<UInt>>? { UnsafeMutablePointer(bitPattern: self[.pins]) }

  @inline(__always)
  var writes: Bool { self[.lineAndFlags] & Entry.writesFlag != 0 }

  var mode: Mode { writes ? .noReadWrite : .noWrite }

  /// Gives the record back to its home; nothing of it may be used after that.
  @inline(__always)
  func release() {
    // Releases: whoever claims the record next must not overtake what was done under it.
    words[Field.inUse.rawValue].store(0, ordering: .releasing)
  }
}
