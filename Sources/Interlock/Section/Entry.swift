/// How a section is begun: at which line of source code, in which mode and with which claim, as its record keeps it.
@usableFromInline
struct Entry {
  @usableFromInline let file: UInt
  @usableFromInline let function: UInt
  /// Of the file's name and the function's, 32 bits each.
  @usableFromInline let lengths: UInt
  @usableFromInline let lineAndFlags: UInt

  @inlinable @inline(__always)
  static var writesFlag: UInt { 1 << 32 }
  @inlinable @inline(__always)
  static var synchedFlag: UInt { 1 << 33 }
  static var placeFromStackFlag: UInt { 1 << 34 }

  /// Where this is inlined, its arguments are mostly literals: then all of it is known when it is compiled.
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

  @inline(__always)
  init(_ site: borrowing Site, _ mode: Mode, synched: Bool, placeFromStack: Bool = false) {
    file = site.file
    function = site.function
    lengths = site.fileLength | site.functionLength << 32
    lineAndFlags =
      site.line | (mode.writes ? Self.writesFlag : 0) | (synched ? Self.synchedFlag : 0)
      | (placeFromStack ? Self.placeFromStackFlag : 0)
  }

  @inline(__always)
  var writes: Bool { lineAndFlags & Self.writesFlag != 0 }
}
