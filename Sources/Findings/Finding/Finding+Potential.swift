import Interlock
package import Prediction
import ProcessInspection

extension Finding {
  /// Describes a fault that did not occur in this run but can occur.
  package init(_ potential: PotentialFinding, level: Level = .warning) {
    self.init(.potential(potential.kind), level: level, message: potential.headline)
    sides = potential.sides.compactMap { side in
      let frame = side.place.first { !$0.isSystem } ?? side.place.first ?? side.stack.first
      return frame.map {
        Side(title: "\(side.party) \(side.act)", place: $0.found(in: side.stack), stack: side.stack)
      }
    }
    details = FindingText(potential, mostFrames: nil).details
    count = potential.count
    resource = potential.resource
    steps = sides.map { Step(party: $0.title, text: "acts here", place: $0.place) }
  }
}

extension StackFrame {
  /// The frame with the full path of its file, if a stack has it.
  func found(in stack: [StackFrame]) -> StackFrame {
    guard let file, !file.hasPrefix("/") else { return self }
    let base = "/" + (file.split(separator: "/").last ?? "")
    var frame = self
    frame.file = stack.lazy.compactMap(\.file).first { $0.hasSuffix(base) } ?? file
    return frame
  }
}
