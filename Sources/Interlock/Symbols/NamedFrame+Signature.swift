internal import CMarks

extension NamedFrame {
  /// Whether a parameter of the function is itself a function, as that of a helper which locks,
  /// runs what it was passed, and unlocks.
  package var takesFunction: Bool {
    symbol.flatMap(SymbolModule.demangled).map(Self.takesFunction) ?? false
  }

  /// Whether a demangled name as `App.locked<A>(App.Lock, () -> A) -> A` has such a parameter.
  static func takesFunction(demangled name: String) -> Bool {
    // Of a closure and of a local function, the function around it comes last.
    var words = SymbolModule.topLevelWords(of: name)
    if let last = words.lastIndex(of: "in") { words.removeFirst(last + 1) }
    // What follows the arrow outside brackets is the result.
    let head = words.prefix { $0 != "->" }
    return head.contains { $0.hasSuffix(")") && Self.parameters($0).contains("->") }
  }

  /// The last group in brackets of a word.
  private static func parameters(_ word: Substring) -> Substring {
    var depth = 0
    for index in word.indices.reversed() {
      if word[index] == ")" { depth += 1 }
      if word[index] == "(" { depth -= 1 }
      if depth == 0 { return word[index...] }
    }
    return word
  }
}
