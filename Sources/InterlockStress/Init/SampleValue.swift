/// Sample values of types, as expressions for a test.
enum SampleValue {
  /// An expression for a parameter of a type.
  ///
  /// - Parameters:
  ///   - type: The type as written in the source.
  ///   - generics: The names of generic parameters, for which `Int` is used.
  ///   - varies: True if the value may depend on `caller`.
  /// - Returns: The expression; `nil` if no value of the type is known.
  static func expression(
    of type: String, generics: Set<String>, varies: Bool
  ) -> String? {
    let words = type.split(whereSeparator: \.isWhitespace).map(String.init)
      .filter { !["@escaping", "@Sendable", "sending", "borrowing", "consuming"].contains($0) }
    let type = words.joined(separator: " ")
    if type.hasSuffix("?"), !type.contains("->") { return "nil" }
    if type.contains("->") { return closure(type, generics) }
    if type.hasPrefix("["), type.hasSuffix("]") { return type.contains(":") ? "[:]" : "[]" }
    if type.hasPrefix("Set<") { return "[]" }
    let number = varies ? "caller.random(in: 0..<4)" : "1"
    switch generics.contains(type) ? "Int" : type {
    case "Int": return number
    case "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
      "Double", "Float", "CGFloat", "TimeInterval":
      return varies ? "\(type)(\(number))" : "1"
    case "String": return varies ? "\"\\(\(number))\"" : "\"a\""
    case "Bool": return varies ? "\(number) == 0" : "true"
    case "Data": return "Data([1])"
    case "Date": return "Date()"
    case "UUID": return "UUID()"
    default: return nil
    }
  }

  /// A closure that does nothing, or only returns a value.
  private static func closure(_ type: String, _ generics: Set<String>) -> String? {
    guard let match = type.wholeMatch(of: /\(([^()]*)\)(?: async)?(?: throws)? -> ([^()]+|\(\))/)
    else { return nil }
    let count = match.1.split(separator: ",").count
    let parameters =
      count == 0 ? "" : Array(repeating: "_", count: count).joined(separator: ", ") + " in "
    if match.2 == "Void" || match.2 == "()" { return "{ \(parameters)}" }
    guard let value = expression(of: String(match.2), generics: generics, varies: false) else {
      return nil
    }
    return "{ \(parameters)\(value) }"
  }
}
