/// The begin of a section, as its record stores it: the source line, the mode and the claim.
public struct Entry: Sendable {
  @usableFromInline let file: UInt
  @usableFromInline let function: UInt
  /// The lengths of the names of file and function, 32 bits each.
  @usableFromInline let lengths: UInt
  @usableFromInline let lineAndFlags: UInt

  /// Inlined: its arguments are mostly literals, so the entry is a compile-time constant.
  @inlinable @inline(__always)
  public init(
    _ file: StaticString, _ function: StaticString, _ line: UInt, writes: Bool, synched: Bool
  ) {
    self.file = UInt(bitPattern: file.utf8Start)
    self.function = UInt(bitPattern: function.utf8Start)
    lengths =
      UInt(bitPattern: file.utf8CodeUnitCount) | UInt(bitPattern: function.utf8CodeUnitCount) << 32
    lineAndFlags = line | (writes ? Self.writesFlag : 0) | (synched ? Self.synchedFlag : 0)
  }
}
