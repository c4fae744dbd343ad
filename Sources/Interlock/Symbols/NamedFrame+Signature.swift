internal import CMarks

extension NamedFrame {
  /// True if a parameter of the function is itself a function, as in a helper that locks, calls its
  /// argument, and unlocks.
  package var takesFunction: Bool {
    symbol.flatMap(SymbolModule.demangled).map(Self.takesFunction) ?? false
  }

  /// True if a demangled name such as `App.locked<A>(App.Lock, () -> A) -> A` has such a parameter.
  static func takesFunction(demangled name: String) -> Bool {
    // In the name of a closure or local function, the enclosing function comes last.
    var words = SymbolModule.topLevelWords(of: name)
    if let last = words.lastIndex(of: "in") { words.removeFirst(last + 1) }
    // After an arrow outside of brackets comes the result.
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
