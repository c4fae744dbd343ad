import CInterlockAnalysis
import Foundation
import Interlock

/// The module of each function in this executable, by its symbol. Reading them takes a tenth of a
/// second; it happens once per record.
struct CodeModules {
  /// System modules that are inlined into the executable. Their code is judged with the using
  /// module.
  private static let system: Set<String> = [
    "Swift", "Foundation", "FoundationEssentials", "Dispatch", "Synchronization", "Glibc", "Musl",
    "Darwin", "Testing", "XCTest", "Runtime", "Observation", "RegexBuilder",
  ]

  /// The functions of each module, as indices into the symbol table.
  private(set) var functions: [String: [Int]] = [:]

  /// The parts of a symbol that show that a module extends a type. Each such symbol contains
  /// `word`: mangling abbreviates a word only if the symbol has it in full before.
  private struct ExtensionMark {
    let module: String
    let word: String
    let mangled: String
    let demangled: String

    init(_ module: String) {
      self.module = module
      word = Self.longestWord(of: module)
      let length = String(module.utf8.count)
      mangled = length + module + "E"
      demangled = "(extension in " + module + "):"
    }

    /// The longest word. Mangling does not abbreviate parts of it: a word has at most one capital
    /// letter, at its beginning.
    private static func longestWord(of module: String) -> String {
      var longest = Substring()
      for match in module.matches(of: /[A-Z]?[a-z]+/) where match.output.count > longest.count {
        longest = match.output
      }
      return String(longest)
    }
  }

  private var marks: [ExtensionMark] = []

  init() {
    var others: [Int] = []
    var entries: [(module: String, index: Int)] = []
    // Neighbouring symbols usually have the same module.
    var module: String?
    var prefix = "$s"
    for index in 0..<interlock_code_symbol_count() {
      guard let name = interlock_code_symbol_at(index) else { continue }
      guard name[0] == 0x24, name[1] == 0x73 else {
        if let module = Self.entryModule(String(cString: name)) { entries.append((module, index)) }
        continue
      }
      let length = prefix.utf8.count
      if module == nil || strncmp(name, prefix, length) != 0 || isdigit(Int32(name[length])) == 0 {
        module = Self.leading(String(cString: name))
        prefix = module.map { "$s\($0.utf8.count)\($0)" } ?? prefix
      }
      if let module, !Self.system.contains(module) {
        functions[module, default: []].append(index)
      } else {
        others.append(index)
      }
    }
    // Closures in top-level code, and the top-level code itself.
    let topLevel = Dictionary(grouping: others) { index in
      interlock_code_symbol_at(index).flatMap { Self.first(String(cString: $0)) }
    }
    for (module, index) in entries where functions[module] != nil || topLevel[module] != nil {
      functions[module, default: []].append(index)
    }
    for (module, closures) in topLevel {
      guard let module, functions[module] != nil else { continue }
      functions[module]?.append(contentsOf: closures)
    }
    marks = functions.keys.map(ExtensionMark.init)
    for index in others {
      guard let name = interlock_code_symbol_at(index), let module = extending(name) else {
        continue
      }
      functions[module, default: []].append(index)
    }
  }

  /// The module of a function, by its symbol; `nil` for a function of a system library or one that
  /// the compiler generated.
  func module(of symbol: String) -> String? {
    if let module = Self.leading(symbol), !Self.system.contains(module) { return module }
    if let module = Self.first(symbol) ?? Self.entryModule(symbol), functions[module] != nil {
      return module
    }
    return extending(symbol)
  }

  /// The module whose extension of a system library's type contains a function.
  private func extending(_ symbol: UnsafePointer<CChar>) -> String? {
    let possible = marks.filter { strstr(symbol, $0.word) != nil }
    if possible.isEmpty || strchr(symbol, 0x45) == nil { return nil }
    if let mark = possible.first(where: { strstr(symbol, $0.mangled) != nil }) {
      return mark.module
    }
    // Constrained extensions and abbreviated names must be demangled:
    // `$s15Synchronization6AtomicV0A5FlagsSbRszrlE…`.
    guard let demangled = SymbolModule.demangled(String(cString: symbol)) else { return nil }
    return possible.first { demangled.contains($0.demangled) }?.module
  }

  /// The module that declares a function, by its symbol. For an extension or a conformance, the
  /// symbol begins with the type's module instead. `nil` as for `module(of:)`.
  func owner(of symbol: String) -> String? {
    guard let module = module(of: symbol) else { return nil }
    // Only such symbols need demangling to find the module: they abbreviate repeated words.
    guard symbol.contains("E") || symbol.contains("W") || symbol.hasSuffix("Mc"),
      let owner = SymbolModule.module(of: symbol), functions[owner] != nil
    else { return module }
    return owner
  }

  /// The module at the beginning of a symbol: `Bank` for `$s4Bank…`.
  private static func leading(_ symbol: String) -> String? {
    // A module is followed by a name, which begins with its length, or by `AA` if the name equals
    // the module's. Any other name is followed by its kind.
    guard let name = first(symbol) else { return nil }
    let rest = symbol.utf8.dropFirst(2).drop(while: isDigit).dropFirst(name.utf8.count)
    let isFollowed = rest.first.map(isDigit) ?? false || rest.starts(with: "AA".utf8)
    return isFollowed ? name : nil
  }

  /// The name at the beginning of a symbol. For a closure in top-level code this is the module too,
  /// although no name follows: `Bank` for `$s4BankyycfU_`.
  private static func first(_ symbol: String) -> String? {
    guard symbol.hasPrefix("$s") else { return nil }
    let rest = symbol.utf8.dropFirst(2)
    let digits = rest.prefix(while: isDigit)
    guard let length = Int(String(decoding: digits, as: UTF8.self)), length > 0 else { return nil }
    let name = rest.dropFirst(digits.count).prefix(length)
    return name.count == length ? String(decoding: name, as: UTF8.self) : nil
  }

  /// The module whose top-level code a function is: `Bank` for `Bank_main`, the name that the
  /// package manager gives it.
  private static func entryModule(_ symbol: String) -> String? {
    symbol.hasSuffix("_main") ? String(symbol.dropLast(5)) : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}
