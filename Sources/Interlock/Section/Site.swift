/// A line of source code by the addresses of its literals, for the fast path.
struct Site {
  var file: UInt
  var fileLength: UInt
  var function: UInt
  var functionLength: UInt
  var line: UInt

  /// From C strings that live as long as the process.
  @inline(__always)
  init(cFile: UnsafePointer<CChar>, cFunction: UnsafePointer<CChar>, line: UInt) {
    file = UInt(bitPattern: cFile)
    fileLength = Record.cString
    function = UInt(bitPattern: cFunction)
    functionLength = Record.cString
    self.line = line
  }

  /// The line as text.
  var place: Place {
    Place(
      file: Self.string(file, fileLength), line: Int(line),
      function: Self.string(function, functionLength))
  }

  /// The string at an address, of this length or zero-terminated.
  static func string(_ address: UInt, _ length: UInt) -> String {
    guard let bytes = UnsafePointer<UInt8>(bitPattern: address) else { return "" }
    if length == Record.cString { return String(cString: bytes) }
    return String(
      decoding: UnsafeBufferPointer(start: bytes, count: Int(length)), as: UTF8.self)
  }
}
