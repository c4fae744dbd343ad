import Findings
import Interlock
import Testing

/// A conflict as an issue: both sides with their stacks, at a line of the user's code.
struct ConflictIssue {
  let text: String
  /// Where a reader begins; `nil` if that is not known.
  let location: SourceLocation?
  /// The same for the reports, whose annotations are at the first side.
  let finding: Finding

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
    var finding = Finding(conflict)
    if isFirst { finding.sides.reverse() }
    self.finding = finding
  }
}

extension ConflictIssue {
  /// Describes a race in memory: at the access without a lock if the other has one, else at the
  /// second.
  ///
  /// - Parameters:
  ///   - race: The race.
  ///   - module: The module of the test; `nil` for none.
  ///   - note: Lines to add.
  init(_ race: MemoryRace, module: String?, note: String) {
    let report =
      ["race in memory: \(race.sentence)"] + race.variableLines + race.first.lines(as: "first")
      + race.second.lines(as: "second") + ["  \(race.meaning)"]
    text = (report + (note.isEmpty ? [] : [note])).joined(separator: "\n")
    finding = Finding(race)
    let isFirst = race.first.locks.isEmpty && !race.second.locks.isEmpty
    let sides = isFirst ? [race.first, race.second] : [race.second, race.first]
    location =
      sides.lazy.compactMap { side in
        guard let file = side.place.file, let line = side.place.line, line > 0,
          let name = file.split(separator: "/").last
        else { return nil }
        return SourceLocation(
          fileID: "\(module ?? "unknown")/\(name)", filePath: file, line: line, column: 1)
      }.first
  }
}

extension MemoryRace.Side {
  /// `read Store.swift:12`
  var shortText: String {
    let file = place.file?.split(separator: "/").last ?? "unknown"
    return (isWrite ? "write " : "read ") + "\(file):\(place.line ?? 0)"
  }
}

extension Conflict.Side {
  /// `read Store.swift:12`
  var shortText: String {
    let file = place.file.split(separator: "/").last ?? ""
    return (mode == .noWrite ? "read " : "write ") + "\(file):\(place.line)"
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
