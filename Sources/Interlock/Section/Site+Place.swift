internal import SectionTable

extension Site {
  /// The source line as text.
  var place: Place {
    Place(
      file: Self.string(file, fileLength), line: Int(line),
      function: Self.string(function, functionLength))
  }

  /// The string at an address, with this length or zero-terminated.
  static func string(_ address: UInt, _ length: UInt) -> String {
    guard let bytes = UnsafePointer<UInt8>(bitPattern: address) else { return "" }
    if length == Record.cString { return String(cString: bytes) }
    return String(
      decoding: UnsafeBufferPointer(start: bytes, count: Int(length)), as: UTF8.self)
  }
}
