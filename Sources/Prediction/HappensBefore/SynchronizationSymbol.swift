import CInterlockAnalysis
import Interlock

/// A symbol of this executable that names the module Synchronization or a type of it.
///
/// The demangled name decides: a mangled symbol abbreviates repeated words, as in
/// `$s20SynchronizationFlags0A4FlagC1a0A06AtomicVySbGvpfi`.
struct SynchronizationSymbol {
  let index: Int
  let symbol: String
  /// The types of Synchronization that the symbol names; empty if it names only the module.
  let types: [String]
  let demangled: String?

  /// Returns `nil` for a symbol that does not name the module.
  init?(_ symbol: String, index: Int = 0) {
    demangled = SymbolModule.demangled(symbol)
    if let demangled {
      guard let types = Self.types(of: "Synchronization", in: demangled) else { return nil }
      self.types = types
    } else {
      // Accept such as `symbolic _____y_____G 15Synchronization6AtomicV 4Bank4SlotV`.
      guard symbol.contains("15Synchronization") else { return nil }
      types = []
    }
    (self.symbol, self.index) = (symbol, index)
  }

  /// All such symbols of the executable, in the order of its symbol table.
  static func all() -> [SynchronizationSymbol] {
    var all: [SynchronizationSymbol] = []
    // The search is complete: mangling abbreviates a word only if the symbol has it in full before,
    // so every symbol that names the module contains the word.
    let word = "Synchronization"
    var next = 0
    while let name = interlock_code_next_mention(word, word, &next) {
      SynchronizationSymbol(String(cString: name), index: next - 1).map { all.append($0) }
    }
    return all
  }

  /// True if the symbol names only `Mutex` and the types inside it. The instructions of a `Mutex`
  /// can be recognised.
  var isOfMutexAlone: Bool {
    !types.isEmpty && types.allSatisfy { ["Mutex", "_MutexHandle", "_Cell"].contains($0) }
  }

  var isOfLazyReference: Bool { types.contains("AtomicLazyReference") }

  /// The stored property of the symbol, such as `Flag.isSet`; `nil` for other symbols.
  var property: String? {
    let kinds = ["variable initialization expression of ", "direct field offset for "]
    guard let demangled, let kind = kinds.first(where: demangled.hasPrefix) else { return nil }
    // Parse `Bank.Flag.(isSet in _F12BD77D) : Synchronization.Atomic<Swift.Bool>`.
    let name = demangled.dropFirst(kind.count).split(separator: " : ").first ?? ""
    return String(name).replacing(/\((\w+) in _\w+\)/) { $0.output.1 }.replacing(/^\w+\./, with: "")
  }

  /// True if the symbol names a module, or a type of it.
  func names(_ module: String) -> Bool {
    guard let demangled else { return SymbolNames.modules(in: symbol).contains(module) }
    return Self.types(of: module, in: demangled) != nil
  }

  /// True if a module declares the symbol, including in an extension of another module's type.
  func isDeclared(in module: String) -> Bool {
    // Test the module last: finding it takes longest.
    symbol.hasPrefix("$s\(module.utf8.count)\(module)")
      || names(module) && SymbolModule.module(of: symbol) == module
  }

  /// The types of a module in a demangled name; `nil` if the name does not contain the module.
  ///
  /// `Bank.Flag.a.getter : Synchronization.Atomic<Swift.Bool>` contains the type `Atomic` of
  /// Synchronization.
  static func types(of module: String, in demangled: String) -> [String]? {
    let text = demangled.utf8
    var types: [String] = []
    var isNamed = false
    for range in demangled.ranges(of: module) {
      let (before, after) = (text[..<range.lowerBound], text[range.upperBound...])
      // Skip a text that is part of a word, or the name of a type or a member.
      guard before.last.map({ !SymbolNames.isOfWord($0) && $0 != UInt8(ascii: ".") }) ?? true else {
        continue
      }
      if after.first == UInt8(ascii: ".") {
        types.append(
          String(decoding: after.dropFirst().prefix(while: SymbolNames.isOfWord), as: UTF8.self))
      } else if !before.suffix(3).elementsEqual("in ".utf8)
        || after.first.map(SymbolNames.isOfWord) == true
      {
        continue
      }
      isNamed = true
    }
    return isNamed ? types : nil
  }
}
