package import Interlock

extension Conflict {
  /// The conflict in one line: the resource, and the act of each side.
  package var sentence: String {
    func act(_ side: Side) -> String {
      "\(side.mode.writes ? "a writer" : "a reader")\(side.synched ? " that claims a lock" : "")"
    }
    let name = "'\(resource)\(part.map { " [\($0)]" } ?? "")'"
    if let witness {
      return "\(name): unmarked code changed it during the section of \(act(first)) at"
        + " \(first.place): \(witness.before) became \(witness.after)"
    }
    let times = count > 1 ? ", \(count) times" : ""
    return "\(name): \(act(second)) at \(second.place) overlapped \(act(first)) at"
      + " \(first.place)\(times)"
  }
}

extension Finding {
  /// Describes a conflict, at the place where the second section began, or at the only known
  /// section.
  package init(_ conflict: Conflict) {
    let isUnmarked = conflict.witness != nil
    self.init(isUnmarked ? .unmarkedChange : .race, message: conflict.sentence)
    resource = conflict.lastingResource
    let first = Side("first, in the section", conflict.first)
    let second = Side("second, at its begin", conflict.second)
    sides = isUnmarked || conflict.second.place.line == 0 ? [first] : [second, first]
    details = [conflict.meaning]
    if let heldOpen = conflict.heldOpen { details.append("\(heldOpen)") }
    steps = [Step(conflict.first, "begins a section")]
    steps.append(
      isUnmarked
        ? Step(party: "unmarked code", text: "changes what the section reads")
        : Step(conflict.second, "begins a section while the first is open"))
  }
}

extension Finding.Side {
  /// One side of a conflict.
  package init(_ title: String, _ side: Conflict.Side) {
    self.init(
      title: "\(title): \(side.claim), \(side.owner)", place: side.frame, stack: side.stack)
  }
}

extension Finding.Step {
  /// Describes the begin of an owner's section.
  package init(_ side: Conflict.Side, _ text: String) {
    self.init(
      party: side.owner, text: "\(text): \(side.mode.writes ? "write" : "read")",
      place: side.frame)
  }
}

extension Conflict.Side {
  /// `write [keys 1 to 4], synched`
  package var claim: String {
    (mode.writes ? "write" : "read") + (part.map { " [\($0)]" } ?? "")
      + (synched ? ", synched" : "")
  }

  /// `thread 'workload', queue 'cache', task 5`
  package var owner: String {
    var owner = "thread '\(thread)'"
    if let queue { owner += ", queue '\(queue)'" }
    if let task { owner += ", task \(task)" }
    return owner
  }

  /// The place of the side, with the full path of its file if the stack has it: the place itself
  /// has only the module and the file name.
  package var frame: StackFrame {
    var frame = StackFrame(place)
    guard let file = frame.file, !file.hasPrefix("/") else { return frame }
    let base = "/" + (file.split(separator: "/").last ?? "")
    if let path = stack.lazy.compactMap(\.file).first(where: { $0.hasSuffix(base) }) {
      frame.file = path
    }
    return frame
  }
}
