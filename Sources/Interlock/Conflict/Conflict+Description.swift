extension Conflict: CustomStringConvertible {
  /// The report for a reader: the resource, both sides in full, and the meaning of the conflict.
  public var description: String {
    let times = count > 1 ? " (\(count) times)" : ""
    var lines = ["interlock: conflict on '\(fullName)'\(times)"]
    if let witness {
      lines[0] += ": changed by \(Self.unmarked)"
      lines += first.lines(as: "in the section:")
      lines += ["  before: \(witness.before)", "  after:  \(witness.after)"]
    } else {
      lines += first.lines(as: "first, in the section:")
      lines += second.lines(as: "second, at its begin:")
    }
    if let heldOpen { lines.append("  \(heldOpen)") }
    lines.append("  \(meaning)")
    return lines.joined(separator: "\n")
  }

  /// The meaning of the conflict, in one sentence.
  public var meaning: String {
    if witness != nil {
      return
        "No marked writer overlapped \(first.where): unmarked code or another process writes"
        + " what it reads."
    }
    let (writer, other) = second.mode.writes ? (second, first) : (first, second)
    let role = other.mode.writes ? "writer" : "reader"
    switch (writer.synched, other.synched) {
    case (true, true):
      return "Both claim a lock: they are not holding the same one."
    case (false, true):
      return "The writer at \(writer.where) holds no lock;"
        + " the \(role) at \(other.where) claims one, and it does not keep the writer out."
    case (true, false):
      return "The writer at \(writer.where) claims a lock;"
        + " the \(role) at \(other.where) does not hold it."
    case (false, false):
      return "Nothing kept the writer at \(writer.where) and the \(role) at \(other.where) apart."
    }
  }
}

extension Conflict.HeldOpen: CustomStringConvertible {
  /// The delay in one sentence.
  public var description: String {
    "The first had been held open for \(duration) by a near-miss delay, seed \(seed)."
  }

  private var duration: String {
    if microseconds < 1 { return "less than 1 µs" }
    if microseconds < 100 { return "\(microseconds) µs" }
    return "\(microseconds / 1000).\(microseconds / 100 % 10) ms"
  }
}

extension Conflict.Side {
  /// `File.swift:12`, for a sentence.
  var `where`: String { place.line == 0 ? place.function : "\(place.file):\(place.line)" }

  /// The side in full, below a title.
  package func lines(as title: String) -> [String] {
    var context = ["thread '\(thread)'"]
    if let queue { context.append("queue '\(queue)'") }
    if let task { context.append("task \(task)") }
    let claim = (part.map { " [\($0)]" } ?? "") + (synched ? ", synched" : "")
    var lines = [
      "  \(title) \(mode.writes ? "write" : "read")\(claim)  \(place)",
      "    \(context.joined(separator: ", "))",
    ]
    for (index, frame) in stack.enumerated() { lines.append("    #\(index) \(frame)") }
    if let stackNote { lines.append("    (\(stackNote))") }
    return lines
  }
}
