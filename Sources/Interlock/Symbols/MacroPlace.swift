internal import CMarks

/// Code in the expansion of a macro has a file and lines that no editor shows; its reader gets the
/// line that uses the macro.
enum MacroPlace {
  /// `File.swift` and the line of the macro's use, of the file of an expansion such as
  /// `@__swiftmacro_3App0010Appswift_….swift`; `nil` for any other file.
  static func use(inFile path: String) -> (file: String, line: Int)? {
    guard let name = path.split(separator: "/").last, name.hasPrefix(prefix) else { return nil }
    let symbol = "$s" + name.dropFirst(prefix.count).prefix { $0 != "." }
    guard let text = SymbolModule.demangled(symbol),
      let match = text.firstMatch(of: /file (.+) line (\d+) column \d+/), let line = Int(match.2)
    else { return nil }
    return (String(match.1), line)
  }

  private static let prefix = "@__swiftmacro_"
}
