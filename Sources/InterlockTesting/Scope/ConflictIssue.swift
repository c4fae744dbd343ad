import Interlock
import Testing

/// A conflict as an issue: both sides with their stacks, at a line of the user's code.
struct ConflictIssue {
  let text: String
  /// Where a reader begins; `nil` if that is not known.
  let location: SourceLocation?

  /// Describes a conflict.
  ///
  /// - Parameters:
  ///   - conflict: The conflict.
  ///   - secondHoldsLock: Whether the thread of the second side held a lock: then the first side,
  ///     which that lock did not keep out, is the one to mend.
  ///   - note: Lines to add.
  init(_ conflict: Conflict, secondHoldsLock: Bool, note: String) {
    let report = conflict.description
    let prefix = "interlock: "
    let lines = report.hasPrefix(prefix) ? String(report.dropFirst(prefix.count)) : report
    text = note.isEmpty ? lines : lines + "\n" + note
    let claims = (conflict.first.synched, conflict.second.synched)
    let isFirst =
      conflict.witness != nil || (claims.0 == claims.1 ? secondHoldsLock : claims.1)
    let (side, other) =
      isFirst ? (conflict.first, conflict.second) : (conflict.second, conflict.first)
    location = SourceLocation(of: side) ?? SourceLocation(of: other)
  }
}

extension SourceLocation {
  /// The line where a section begins; `nil` if its file is not known by the module's name.
  init?(of side: Conflict.Side) {
    let parts = side.place.file.split(separator: "/")
    guard side.place.line > 0, parts.count >= 2, !side.place.file.hasPrefix("/"),
      let name = parts.last
    else { return nil }
    let path = side.stack.lazy.compactMap(\.file).first { $0.hasSuffix("/" + name) }
    self.init(
      fileID: side.place.file, filePath: path ?? side.place.file, line: side.place.line, column: 1)
  }
}
