internal import Synchronization

/// A resource of one instance, whose reads and writes are marked.
///
/// Two sections with the same name are two resources. A copy of a section is the same resource. The
/// value has no memory beyond its own words, and none if tracking is not compiled in. Thread-safe.
public struct Section: Sendable {
  #if INTERLOCK_TRACKING
  @usableFromInline let key: UInt64
  let name: UInt
  let nameLength: UInt32
  let number: UInt32

  private init(address: UInt, length: Int) {
    // Relaxed: the number only has to be unique.
    let number = Self.counter.wrappingAdd(1, ordering: .relaxed).newValue
    key = ResourceKey(number: UInt64(number)).hash
    name = address
    nameLength = UInt32(length)
    self.number = UInt32(truncatingIfNeeded: number)
  }

  private static let counter = Atomic<UInt>(0)
  #endif

  /// A resource of this name.
  #if !INTERLOCK_TRACKING
  @_transparent
  #endif
  public init(_ name: StaticString) {
    #if INTERLOCK_TRACKING
    self.init(address: UInt(bitPattern: name.utf8Start), length: name.utf8CodeUnitCount)
    #endif
  }

  /// A resource of this computed name; the name is kept for the life of the process.
  @_disfavoredOverload
  #if !INTERLOCK_TRACKING
  @_transparent
  #endif
  public init(_ name: @autoclosure () -> String) {
    #if INTERLOCK_TRACKING
    let name = name()
    self.init(
      address: UInt(bitPattern: InternedStrings.names.intern(name)), length: name.utf8.count)
    #endif
  }
}
