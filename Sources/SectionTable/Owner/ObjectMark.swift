internal import Synchronization

/// Identifies an object by a weak reference. It separates an object from an earlier one at the same
/// address: the allocator reuses addresses, without an event.
final class ObjectMark: @unchecked Sendable {
  // Unchecked: `object` is set once, and the runtime makes each read of a weak reference atomic.
  private weak var object: AnyObject?
  /// A number that no other mark ever has; never 0.
  let number: UInt64

  private static let made = Atomic<UInt64>(0)

  private init(_ object: AnyObject) {
    self.object = object
    // Relaxed: the number orders nothing.
    number = Self.made.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// The mark whose address a word contains; `nil` for 0.
  private static func at(_ address: UInt) -> Unmanaged<ObjectMark>? {
    UnsafeRawPointer(bitPattern: address).map { Unmanaged<ObjectMark>.fromOpaque($0) }
  }

  /// The number of the mark in a word, if it is the mark of this object; otherwise `nil`. The
  /// caller holds the lock over the word, and keeps the object alive.
  static func number(in word: UnsafeMutablePointer<Atomic<UInt>>, of instance: UInt) -> UInt64? {
    // Relaxed: the caller's lock orders the word.
    guard let pointer = UnsafeRawPointer(bitPattern: instance),
      let mark = at(word.pointee.load(ordering: .relaxed))?.takeUnretainedValue()
    else { return nil }
    return mark.object === Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
      ? mark.number : nil
  }

  /// Replaces the mark in a word by one of this object, and returns its number; 0 without an
  /// object. The caller holds the lock over the word, and keeps the object alive.
  static func replace(
    in word: UnsafeMutablePointer<Atomic<UInt>>, by instance: UInt
  ) -> UInt64 {
    guard let pointer = UnsafeRawPointer(bitPattern: instance) else { return 0 }
    let fresh = ObjectMark(Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue())
    // Relaxed: the caller's lock orders the word.
    let old = at(word.pointee.load(ordering: .relaxed))
    word.pointee.store(
      UInt(bitPattern: Unmanaged.passRetained(fresh).toOpaque()), ordering: .relaxed)
    old?.release()
    return fresh.number
  }
}
