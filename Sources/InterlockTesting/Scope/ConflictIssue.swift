import Findings
import Interlock
import Testing

/// A conflict as an issue, with both stacks, at a line of the user's code.
struct ConflictIssue {
  let text: String
  /// The line to read first; `nil` if unknown.
  let location: SourceLocation?
  /// The finding for the reports. Its annotation is at the first side.
  let finding: Finding

  /// Describes a conflict.
  ///
  /// - Parameters:
  ///   - conflict: The conflict.
  ///   - secondHoldsLock: True if the second side's thread held a lock. The issue is then at the
  ///     first side, which ran without that lock.
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
  /// Describes a memory race. The issue is at the access without a lock if the other access has
  /// one, otherwise at the second access.
  ///
  /// - Parameters:
  ///   - race: The memory race.
  ///   - module: The module of the test; `nil` for none.
  ///   - note: Lines to add.
  init(_ race: MemoryRace, module: String?, note: String) {
    let report = ["race in memory: \(race.sentence)"] + race.lines
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
  /// The line where a section begins; `nil` if its file does not name a module.
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
