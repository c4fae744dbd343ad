extension Overlap {
  /// The overlap in one complete line, without symbols.
  ///
  /// Symbolication takes milliseconds and reads every mapped file. If another thread unmaps a file
  /// meanwhile, the process ends there, and only this line is left.
  var headline: String {
    let part = (first.part ?? second.part).map { "[\($0.text)]" }
    let name = [resource, instance ?? "", part ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
    let what = resource.isEmpty ? "a property" : "'\(name)'"
    if let witness {
      return "\(first.line): conflict on \(what): read here, changed by \(Conflict.unmarked)"
        + " from \(witness.before) to \(witness.after)"
    }
    let (mine, others) = (Self.word(second), Self.word(first))
    if second.placeFromStack {
      // The accessing lines are not known yet.
      return "\(second.line): conflict on \(what), declared here: \(mine) overlaps \(others)"
    }
    let elsewhere = first.place.line == 0 ? "in \(first.place.function)" : "at \(first.line)"
    return "\(second.line): conflict on \(what): \(mine) here, \(others) \(elsewhere)"
  }

  /// The headline for two sections that did not overlap and that nothing orders.
  var unorderedHeadline: String {
    let name = [resource, instance ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
    let what = resource.isEmpty ? "a property" : "'\(name)'"
    return "\(second.line): race on \(what): nothing orders the \(Self.word(second)) here after the"
      + " \(Self.word(first)) at \(first.line)"
  }

  private static func word(_ evidence: Evidence) -> String {
    evidence.mode.writes ? "write" : "read"
  }
}

extension Conflict {
  /// The headline of a conflict whose symbols are known.
  var headline: String {
    let (mine, others) = (Self.word(second), Self.word(first))
    return "\(second.where): conflict on '\(fullName)': \(mine) here, \(others) at \(first.where)"
  }

  private static func word(_ side: Side) -> String {
    side.mode.writes ? "write" : "read"
  }
}

extension Evidence {
  fileprivate var line: String { "\(place.file):\(place.line)" }
}
