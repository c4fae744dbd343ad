internal import CMarks

/// Finds the module that a symbol names.
package enum SymbolModule {
  /// The module that declares a function. For an extension of another module's type, this is the
  /// extension's module.
  package static func module(of symbol: String?) -> String? {
    symbol.flatMap(demangled).flatMap(module(ofDemangled:))
  }

  /// The module of a demangled name: `App` for `closure #1 () -> () in (extension in
  /// App):Model.Store.fill() -> ()`.
  static func module(ofDemangled name: String) -> String? {
    // The function comes last, after its closures and local functions.
    var words: [Substring] = []
    for word in topLevelWords(of: name) {
      if word == "in" { words = [] } else { words.append(word) }
    }
    let qualified = words.first {
      $0.hasPrefix("(extension in ") || $0.first != "<" && $0.contains(".")
    }
    guard let word = qualified ?? words.first else { return nil }
    let context = word.hasPrefix("(extension in ") ? word.dropFirst("(extension in ".count) : word
    let module = context.prefix { $0 == "_" || $0.isLetter || $0.isNumber }
    return module.isEmpty ? nil : String(module)
  }

  /// The words outside of brackets.
  static func topLevelWords(of name: String) -> [Substring] {
    var words: [Substring] = []
    var start = name.startIndex
    var depth = 0
    var last: Character?
    for index in name.indices {
      let character = name[index]
      switch character {
      case "(", "[", "<": depth += 1
      case ")", "]": depth -= 1
      case ">" where last != "-": depth -= 1
      case " " where depth == 0:
        words.append(name[start..<index])
        start = name.index(after: index)
      default: break
      }
      last = character
    }
    return words + [name[start...]]
  }

  package static func demangled(_ symbol: String) -> String? {
    guard let text = interlock_demangled(symbol) else { return nil }
    defer { interlock_free_demangled(text) }
    return String(cString: text)
  }
}
