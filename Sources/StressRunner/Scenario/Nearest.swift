import Findings

/// The name that a mistyped name most likely means; `nil` if none is near.
///
/// A name is near if at most half of the longer name's characters, and at most `most`, must be
/// inserted, deleted, replaced or swapped with their neighbour (optimal string alignment distance).
/// Among equally near names the first wins.
package func nearest(to name: String, among names: [String], most: Int = .max) -> String? {
  // A longer name is not a typing error, and computing the distance costs the product of the
  // lengths.
  guard name.count <= 100 else { return nil }
  var best: (name: String, distance: Int)?
  // A character has at most a few dozen bytes.
  for candidate in names where candidate.utf8.count <= 10_000 {
    let distance = editDistance(Array(name.lowercased()), Array(candidate.lowercased()))
    guard distance * 2 <= max(name.count, candidate.count), distance <= most else { continue }
    if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
  }
  return best?.name
}

/// The end of a message about an unknown name: the nearest name or a list of all names; if there
/// are too many, their number and the command that lists them.
package struct Suggestion: Sendable, Hashable {
  /// The end of the message, without a full stop.
  package let text: String
  /// True if the text is a question.
  package let isQuestion: Bool

  /// Finds the nearest name.
  package init(for name: String, among names: [String], shownBy command: String? = nil) {
    if let near = nearest(to: name, among: names) {
      text = "did you mean '\(near)'?"
      isQuestion = true
      return
    }
    isQuestion = false
    if names.count > 40 {
      text =
        "none of the \(names.count) known names is similar"
        + (command.map { ", '\($0)' shows them" } ?? "")
    } else {
      text =
        "expected one of: "
        + names.map { $0.utf8.count > 100 ? printable($0) : $0 }.joined(separator: ", ")
    }
  }
}

/// The text of a suggestion.
func suggestion(for name: String, among names: [String]) -> String {
  Suggestion(for: name, among: names).text
}

private func editDistance(_ left: [Character], _ right: [Character]) -> Int {
  guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for row in 1...left.count {
    var current = [row]
    for column in 1...right.count {
      let replaced = last[column - 1] + (left[row - 1] == right[column - 1] ? 0 : 1)
      var distance = min(replaced, last[column] + 1, current[column - 1] + 1)
      if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1]
      {
        distance = min(distance, beforeLast[column - 2] + 1)
      }
      current.append(distance)
    }
    beforeLast = last
    last = current
  }
  return last[right.count]
}
