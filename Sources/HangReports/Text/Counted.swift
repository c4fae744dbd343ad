/// Formats numbers and nouns.
enum Counted {
  /// `1,000`.
  static func number(_ value: Int) -> String {
    var digits = String(value.magnitude)
    var groups: [Substring] = []
    while digits.count > 3 {
      groups.insert(Substring(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return (value < 0 ? "-" : "") + ([Substring(digits)] + groups).joined(separator: ",")
  }

  /// `1 thread`, `1,000 threads`.
  static func noun(_ value: Int, _ noun: String) -> String {
    number(value) + " " + noun + (value == 1 ? "" : "s")
  }
}
