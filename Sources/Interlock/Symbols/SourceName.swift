internal import SectionTable

/// The name of a called function in the source.
package enum SourceName: Sendable, Hashable {
  /// The name at the line and column of the call, together with members joined to it by dots, such
  /// as `weakCompareExchange`.
  case name(String)
  /// The text of the macro's use whose expansion makes the call.
  case macro(String)
  /// The source cannot be read, or debug information does not give the location.
  case unknown

  /// The size of the largest file that is read, in bytes.
  private static let mostBytes = 16 << 20
  /// The most lines of a macro's use.
  private static let mostLines = 64

  /// The source names of calls, by return address. Slow, because symbols are read.
  package static func names(ofCalls addresses: [UInt]) -> [UInt: SourceName] {
    let named = Symbolicator.shared.named(addresses)
    var lines: [String: [[UInt8]]] = [:]
    var names: [UInt: SourceName] = [:]
    // The innermost frame of an address comes first.
    for named in named where names[named.frame.address] == nil {
      guard let file = named.frame.file, let line = named.frame.line else { continue }
      if lines[file] == nil { lines[file] = contents(of: file) }
      names[named.frame.address] = name(in: lines[file] ?? [], line: line, column: named.column)
    }
    return names
  }

  private static func contents(of file: String) -> [[UInt8]] {
    let bytes = (try? Platform.contents(of: file, atMost: mostBytes)) ?? nil
    let newLine = UInt8(ascii: "\n")
    return bytes?.split(separator: newLine, omittingEmptySubsequences: false).map(Array.init) ?? []
  }

  /// The name at a location. A location without a column is a macro's use.
  static func name(in lines: [[UInt8]], line: Int, column: Int?) -> SourceName {
    guard lines.indices.contains(line - 1) else { return .unknown }
    guard let column else { return macro(in: lines[(line - 1)...].prefix(mostLines)) }
    let bytes = lines[line - 1]
    guard bytes.indices.contains(column - 1) else { return .unknown }
    let name = bytes[(column - 1)...].prefix(while: isInName)
    return name.isEmpty ? .unknown : .name(String(decoding: name, as: UTF8.self))
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: byte >= 0x80
    }
  }

  /// The text up to the parenthesis that closes the first one.
  private static func macro(in lines: ArraySlice<[UInt8]>) -> SourceName {
    var text: [UInt8] = []
    var depth = 0
    for byte in lines.joined(separator: [UInt8(ascii: " ")]) {
      text.append(byte)
      if byte == UInt8(ascii: "(") { depth += 1 }
      guard byte == UInt8(ascii: ")") else { continue }
      depth -= 1
      if depth <= 0 { return .macro(String(decoding: text, as: UTF8.self)) }
    }
    return .unknown
  }
}
