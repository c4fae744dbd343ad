/// Two conflicting sections of an explored execution.
package struct SectionRace: Sendable, Hashable, Codable {
  /// The name of the resource, with its instance.
  package var resource: String
  /// The section that began first and the other section, with their stacks.
  package var first: Conflict.Side
  package var second: Conflict.Side
  /// True if the sections overlapped; false if nothing orders the second after the first.
  package var overlapped: Bool

  init(_ conflict: Conflict, overlapped: Bool) {
    let instance = conflict.instance.map { " \($0)" } ?? ""
    resource = overlapped ? conflict.fullName : conflict.resource + instance
    (first, second) = (conflict.first, conflict.second)
    self.overlapped = overlapped
  }

  /// Both sides in full.
  var lines: [String] {
    first.lines(as: overlapped ? "first, in the section:" : "first, ended before:")
      + second.lines(as: overlapped ? "second, as it came:" : "second, after it by luck:")
  }
}
