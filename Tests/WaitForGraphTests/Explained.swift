import HangReports
import TestSupport
import Testing
import Hangs

/// The diagnosis of a snapshot, whose text is compared with the file of this name in `Goldens`.
/// `UPDATE_GOLDENS=1` writes the file anew.
func explained(
  _ snapshot: WaitSnapshot, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
) throws -> Diagnosis {
  let diagnosis = try #require(Diagnosis(of: snapshot), sourceLocation: sourceLocation)
  expectGolden(
    text(of: Explanation(diagnosis, of: snapshot)), name + ".txt", sourceLocation: sourceLocation)
  return diagnosis
}

/// The whole content of an explanation: the text for a terminal, and then the first nodes and edges
/// of the graph.
private func text(of explanation: Explanation) -> String {
  let most = 30
  var lines = [explanation.isCertain ? "certain" : "not certain"]
  lines += DiagnosisText(explanation, width: nil, mostLines: .max).lines
  for node in explanation.nodes.prefix(most) {
    let mark = node.isMarked ? "*" : " "
    lines.append("\(mark) \(node.id) (\(node.kind), \(node.count)): \(node.title)")
    lines += node.details.map { "      " + $0 }
  }
  for edge in explanation.edges.prefix(most) {
    lines.append("\(edge.isMarked ? "* " : "  ")\(edge.from) \(edge.label) \(edge.to)")
  }
  lines.append("\(explanation.nodes.count) nodes, \(explanation.edges.count) edges")
  return lines.joined(separator: "\n") + "\n"
}
