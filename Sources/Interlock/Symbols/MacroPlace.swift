internal import CMarks

/// Finds the source of code in a macro expansion. The expansion has a file and lines that no editor
/// shows, so reports show the line that uses the macro.
enum MacroPlace {
  /// The file name and line of the macro's use, from an expansion's file such as
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
