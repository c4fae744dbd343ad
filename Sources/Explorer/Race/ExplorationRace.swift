package import Interlock

/// Two conflicting sections of an explored execution.
package struct ExplorationRace: Sendable, Hashable, Codable {
  /// The name of the resource, with its instance.
  package var resource: String
  /// The section that began first and the other section, with their stacks.
  package var first: Conflict.Side
  package var second: Conflict.Side
  /// True if the sections overlapped; false if nothing orders the second after the first.
  package var overlapped: Bool

  /// Returns `nil` for a memory race.
  init?(_ race: ExploredRace) {
    switch race {
    case .overlap(let conflict):
      resource = conflict.fullName
      (first, second) = (conflict.first, conflict.second)
      overlapped = true
    case .unordered(let accesses):
      resource = accesses.resource + (accesses.instance.map { " \($0)" } ?? "")
      (first, second) = (accesses.first.section, accesses.second.section)
      overlapped = false
    case .memory: return nil
    }
  }

  /// Both sides in full.
  var lines: [String] {
    first.lines(as: overlapped ? "first, in the section:" : "first, ended before:")
      + second.lines(as: overlapped ? "second, as it came:" : "second, after it by luck:")
  }
}
