internal import Synchronization

/// The data of a `Section` that its marks pass to the table.
public struct SectionWords: Sendable {
  /// The hash of the resource's key.
  public let key: UInt64
  let name: UInt
  let nameLength: UInt32
  let number: UInt32

  private static let counter = Atomic<UInt>(0)

  private init(address: UInt, length: Int) {
    // Relaxed: the number only has to be unique.
    let number = Self.counter.wrappingAdd(1, ordering: .relaxed).newValue
    key = ResourceKey(number: UInt64(number)).hash
    name = address
    nameLength = UInt32(length)
    self.number = UInt32(truncatingIfNeeded: number)
  }

  /// Creates the words of a new section with this name.
  package init(_ name: StaticString) {
    self.init(address: UInt(bitPattern: name.utf8Start), length: name.utf8CodeUnitCount)
  }

  /// Creates the words of a new section with this computed name, which is kept forever.
  package init(computed name: String) {
    self.init(
      address: UInt(bitPattern: InternedStrings.names.intern(name)), length: name.utf8.count)
  }
}
