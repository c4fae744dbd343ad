package import HangReports
package import Interlock
package import ProcessInspection
import Hangs

extension Finding {
  /// Describes a hang with its diagnosis, at the place where the first thread of the cause waits.
  ///
  /// - Parameters:
  ///   - explanation: The formatted diagnosis.
  ///   - message: The text in one line; `nil` for the diagnosis's headline.
  package init(_ explanation: Explanation, message: String? = nil) {
    self.init(
      .deadlock(explanation.cause),
      message: message ?? "deadlock (\(explanation.cause.rawValue)): \(explanation.headline)")
    details = explanation.details + explanation.advice
    let threads = explanation.nodes.filter {
      [.thread, .task].contains($0.kind) && ($0.place ?? Self.users($0.stack)) != nil
    }
    let marked = threads.filter(\.isMarked)
    for node in (marked.isEmpty ? threads : marked).prefix(Self.mostSides) {
      guard let place = node.place ?? Self.users(node.stack) else { continue }
      sides.append(Side(title: "\(node.title) waits", place: place, stack: node.stack))
    }
    steps = explanation.edges.filter(\.isMarked).prefix(Self.mostEdges).map { edge in
      let from = explanation.nodes.first { $0.id == edge.from }
      let to = explanation.nodes.first { $0.id == edge.to }
      return Step(
        party: from?.title ?? edge.from, text: "\(edge.label) \(to?.title ?? edge.to)",
        place: from?.place)
    }
  }

  /// Describes the threads of a hanging process, without a diagnosis.
  package init(_ rule: Rule, message: String, groups: [ThreadGroup]) {
    self.init(rule, message: message)
    for group in groups {
      guard sides.count < Self.mostSides, let place = Self.users(group.stack) else { continue }
      sides.append(
        Side(
          title: "\(group.count) × '\(group.name)', \(group.state)", place: place,
          stack: group.stack))
    }
  }

  /// The most threads shown, and the most dependencies between them.
  private static let mostSides = 8
  private static let mostEdges = 100

  /// The first frame of a stack in user code; `nil` if none has a known line.
  package static func users(_ stack: [StackFrame]) -> StackFrame? {
    let own = stack.filter { !$0.isSystem && $0.ownPart == nil }
    return own.first(where: \.hasLine) ?? own.first { $0.function != nil }
  }
}
