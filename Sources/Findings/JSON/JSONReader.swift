/// The reason why a text is not JSON, worded to follow `file:line: `.
package struct JSONError: Error, Hashable {
  /// The line, from 1.
  package var line: Int
  /// The text found and the text expected.
  package var message: String
}

/// Reads JSON strictly by RFC 8259: no comments, no trailing commas, no second value and no
/// duplicate keys.
package struct JSONReader {
  /// The most nesting levels of arrays and objects: far more than a scenario needs, and few enough
  /// that no file can exhaust the stack.
  package static let depthLimit = 32

  private let bytes: [UInt8]
  private var position = 0
  private var line = 1

  /// Reads a text that consists of exactly one value.
  package static func read(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    if let error = invalidUTF8(in: bytes) { throw error }
    var reader = JSONReader(bytes: bytes)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      throw reader.error("expected a value, found a byte order mark")
    }
    reader.skipSpace()
    let value = try reader.value(depth: 0)
    reader.skipSpace()
    if reader.position < bytes.count {
      throw reader.unexpected("the end of the file")
    }
    return value
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Returns an error for the first byte that is not valid UTF-8.
  private static func invalidUTF8(in bytes: [UInt8]) -> JSONError? {
    if String(validating: bytes, as: UTF8.self) != nil { return nil }
    var parser = UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var position = 0
    while case .valid(let character) = parser.parseScalar(from: &iterator) {
      position += character.count
    }
    let byte = hexadecimal(bytes[position])
    return JSONError(
      line: bytes.prefix(position).count { $0 == 0x0A } + 1,
      message: "expected UTF-8, found the byte 0x\(byte), which begins no character")
  }

  // MARK: Values

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    let start = line
    switch peek {
    case UInt8(ascii: "{"): return JSONValue(.object(try object(depth: depth)), line: start)
    case UInt8(ascii: "["): return JSONValue(.array(try array(depth: depth)), line: start)
    case UInt8(ascii: "\""): return JSONValue(.string(try string()), line: start)
    case UInt8(ascii: "-"):
      return JSONValue(.number(try number()), line: start)
    case let byte? where isDigit(byte):
      return JSONValue(.number(try number()), line: start)
    case UInt8(ascii: "t") where skip("true"): return JSONValue(.bool(true), line: start)
    case UInt8(ascii: "f") where skip("false"): return JSONValue(.bool(false), line: start)
    case UInt8(ascii: "n") where skip("null"): return JSONValue(.null, line: start)
    default: throw unexpected("a value")
    }
  }

  private mutating func object(depth: Int) throws(JSONError) -> [JSONValue.Member] {
    try enter(depth)
    var members: [JSONValue.Member] = []
    var lines: [String: Int] = [:]
    if skip("}") { return members }
    while true {
      guard peek == UInt8(ascii: "\"") else { throw unexpected("a key in quotation marks") }
      let keyLine = line
      let key = try string()
      if let first = lines.updateValue(keyLine, forKey: key) {
        throw JSONError(
          line: keyLine,
          message: "expected another key, found '\(printable(key))' again, which is already in"
            + " line \(first)"
        )
      }
      skipSpace()
      guard skip(":") else { throw unexpected("':' after the key '\(printable(key))'") }
      skipSpace()
      members.append(.init(key: key, line: keyLine, value: try value(depth: depth + 1)))
      skipSpace()
      if skip("}") { return members }
      guard skip(",") else { throw unexpected("',' or '}'") }
      skipSpace()
    }
  }

  private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
    try enter(depth)
    var values: [JSONValue] = []
    if skip("]") { return values }
    while true {
      values.append(try value(depth: depth + 1))
      skipSpace()
      if skip("]") { return values }
      guard skip(",") else { throw unexpected("',' or ']'") }
      skipSpace()
    }
  }

  /// Consumes the bracket that opens an object or an array.
  private mutating func enter(_ depth: Int) throws(JSONError) {
    if depth >= Self.depthLimit {
      throw error(
        "found lists and objects nested deeper than \(Self.depthLimit) levels, expected at most"
          + " \(Self.depthLimit)")
    }
    position += 1
    skipSpace()
  }

  private mutating func number() throws(JSONError) -> String {
    let start = position
    _ = skip("-")
    if peek == UInt8(ascii: "0") {
      position += 1
    } else if !skipDigits() {
      throw unexpected("a digit")
    }
    if skip("."), !skipDigits() { throw unexpected("a digit after the point") }
    if skip("e") || skip("E") {
      if !skip("+") { _ = skip("-") }
      if !skipDigits() { throw unexpected("a digit in the exponent") }
    }
    if let next = peek, isDigit(next) {
      position = start
      throw unexpected("a number that does not begin with 0, or 0 alone")
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func skipDigits() -> Bool {
    let start = position
    while let next = peek, isDigit(next) { position += 1 }
    return position > start
  }

  // MARK: Strings

  private mutating func string() throws(JSONError) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        position += 1
        text.append(contentsOf: String(try escaped()).utf8)
      case 0..<0x20:
        let found =
          byte == 0x0A || byte == 0x0D
          ? "the end of the line" : "the control character 0x" + Self.hexadecimal(byte)
        throw error("expected a closing quotation mark or an escape, found \(found)")
      default:
        position += 1
        text.append(byte)
      }
    }
    throw unexpected("a closing quotation mark")
  }

  private mutating func escaped() throws(JSONError) -> Unicode.Scalar {
    let start = position
    let byte = peek
    position += 1
    switch byte {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{08}"
    case UInt8(ascii: "f"): return "\u{0C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try escapedScalar()
    default:
      position = start
      throw unexpected("one of \" \\ / b f n r t u after '\\'")
    }
  }

  private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar {
    let start = position - 2
    let first = try codeUnit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    if UTF16.isLeadSurrogate(first), skip("\\u") {
      let second = try codeUnit()
      if UTF16.isTrailSurrogate(second) {
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
      }
    }
    position = start
    throw unexpected("'\\u' with a whole character, or with both halves of one")
  }

  private mutating func codeUnit() throws(JSONError) -> UInt16 {
    let start = position
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        position = start
        throw unexpected("four hexadecimal digits after '\\u'")
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  // MARK: Bytes

  private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = peek {
      switch byte {
      case 0x0A: line += 1
      case 0x20, 0x09, 0x0D: break
      default: return
      }
      position += 1
    }
  }

  /// Consumes an ASCII text if it is next.
  private mutating func skip(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { expected in
      guard bytes[position...].starts(with: expected) else { return false }
      position += expected.count
      return true
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.count < 2 ? "0" + digits : digits
  }

  private func error(_ message: String) -> JSONError { JSONError(line: line, message: message) }

  private func unexpected(_ expected: String) -> JSONError {
    guard position < bytes.count else {
      return error("expected \(expected), found the end of the file")
    }
    var rest = bytes[position...].prefix(24).prefix { $0 != 0x0A && $0 != 0x0D }
    if rest.isEmpty { return error("expected \(expected), found the end of the line") }
    // The cut may split a character: drop an incomplete one.
    while String(validating: rest, as: UTF8.self) == nil { rest.removeLast() }
    let shown = String(decoding: rest, as: UTF8.self).prefix(12)
    return error("expected \(expected), found '\(printable(String(shown)))'")
  }
}
