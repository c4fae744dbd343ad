import Interlock
package import Prediction
import ProcessInspection

extension Finding {
  /// A fault that did not occur in this run but can.
  package init(_ potential: PotentialFinding, level: Level = .warning) {
    self.init(.potential(potential.kind), level: level, message: potential.headline)
    sides = potential.sides.compactMap { side in
      let frame = side.place.first { !$0.isSystem } ?? side.place.first ?? side.stack.first
      return frame.map {
        Side(title: "\(side.party) \(side.act)", place: $0.found(in: side.stack), stack: side.stack)
      }
    }
    let text = FindingText(potential, mostFrames: 0)
    details = text.details.filter { !$0.hasSuffix(" more frames") }
    count = potential.count
    // Of an access, the name of its resource in quotation marks; of a lock, an address.
    if potential.kind == .race, let act = potential.sides.first?.act {
      resource = Self.quoted(act)
    }
    steps = sides.map { Step(party: $0.title, text: "acts here", place: $0.place) }
  }

  /// `users` of `writes 'users #3'`: the instance changes from run to run.
  private static func quoted(_ text: String) -> String? {
    guard let start = text.firstIndex(of: "'"), let end = text.lastIndex(of: "'"), start < end
    else { return nil }
    let name = text[text.index(after: start)..<end]
    guard let space = name.lastIndex(of: " "),
      ["#", "0x"].contains(where: name[name.index(after: space)...].hasPrefix)
    else { return String(name) }
    return String(name[..<space])
  }
}

extension StackFrame {
  /// The frame with the full path of its file, where a stack shows it.
  func found(in stack: [StackFrame]) -> StackFrame {
    guard let file, !file.hasPrefix("/") else { return self }
    let base = "/" + (file.split(separator: "/").last ?? "")
    var frame = self
    frame.file = stack.lazy.compactMap(\.file).first { $0.hasSuffix(base) } ?? file
    return frame
  }
}
