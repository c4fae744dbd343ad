/// How a section is begun: at which line of source code, in which mode and with which claim, as its
/// record keeps it.
@usableFromInline
struct Entry {
  @usableFromInline let file: UInt
  @usableFromInline let function: UInt
  /// Of the file's name and the function's, 32 bits each.
  @usableFromInline let lengths: UInt
  @usableFromInline let lineAndFlags: UInt

  /// Where this is inlined, its arguments are mostly literals: then all of it is known when it is
  /// compiled.
  @inlinable @inline(__always)
  init(
    _ file: StaticString, _ function: StaticString, _ line: UInt, writes: Bool, synched: Bool
  ) {
    self.file = UInt(bitPattern: file.utf8Start)
    self.function = UInt(bitPattern: function.utf8Start)
    lengths =
      UInt(bitPattern: file.utf8CodeUnitCount) | UInt(bitPattern: function.utf8CodeUnitCount) << 32
    lineAndFlags = line | (writes ? Self.writesFlag : 0) | (synched ? Self.synchedFlag : 0)
  }
}
