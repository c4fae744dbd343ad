import Interlock

/// The modules that a symbol names.
///
/// The names come from the demangled symbol. A mangled symbol abbreviates repeated words:
/// `$s15Synchronization6AtomicVy0A5Flags0A5StateOGMD` names SynchronizationFlags.
enum SymbolNames {
  /// All names before a dot that are not members, and the modules of extensions. Some may not be
  /// modules.
  static func modules(in symbol: String) -> Set<String> {
    let demangled = demangled(symbol)
    return demangled.map(names) ?? literals(in: symbol)
  }

  /// Also demangles data symbols that are not plain mangled names: `got.$s4Bank4FlagCMn`, and
  /// `symbolic _____y_____G 15Synchronization6AtomicV 0A5Flags0A5StateO`.
  private static func demangled(_ symbol: String) -> String? {
    if let name = SymbolModule.demangled(symbol) { return name }
    guard symbol.hasPrefix("symbolic ") else {
      guard let start = symbol.firstRange(of: "$s")?.lowerBound else { return nil }
      return SymbolModule.demangled(String(symbol[start...]))
    }
    // The types share one mangling: later ones abbreviate words of earlier ones. Join them as a
    // tuple.
    let types = symbol.split(separator: " ").dropFirst(2).map { $0 + ($0.last == "P" ? "_p" : "") }
    guard let first = types.first else { return nil }
    let rest = types.dropFirst()
    return SymbolModule.demangled("$s" + first + (rest.isEmpty ? "" : "_\(rest.joined())t") + "D")
  }

  private static func names(in demangled: String) -> Set<String> {
    var names: Set<String> = []
    let text = Array(demangled.utf8)
    var start = 0
    while start < text.count {
      guard isOfWord(text[start]) else {
        start += 1
        continue
      }
      let end = text[start...].firstIndex { !isOfWord($0) } ?? text.count
      let isMember = start > 0 && text[start - 1] == UInt8(ascii: ".")
      let isBeforeMember = end < text.count && text[end] == UInt8(ascii: ".")
      let isOfExtension = text[..<start].suffix(3).elementsEqual("in ".utf8)
      if !isMember, isBeforeMember || isOfExtension {
        names.insert(String(decoding: text[start..<end], as: UTF8.self))
      }
      start = end
    }
    return names
  }

  /// The identifiers of a symbol that cannot be demangled: each begins with its length.
  private static func literals(in symbol: String) -> Set<String> {
    var found: Set<String> = []
    var rest = Substring(symbol).utf8
    while let first = rest.first {
      guard isDigit(first) else {
        rest = rest.dropFirst()
        continue
      }
      let digits = rest.prefix(while: isDigit)
      rest = rest.dropFirst(digits.count)
      guard let length = Int(String(decoding: digits, as: UTF8.self)), length <= rest.count else {
        continue
      }
      found.insert(String(decoding: rest.prefix(length), as: UTF8.self))
      rest = rest.dropFirst(length)
    }
    return found
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  /// True for bytes of a word: letters, digits and underscores.
  static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }
}
