import Foundation

extension Schedule {
  /// One line for each of the `most` objects that contribute the most orders. Steps of several
  /// threads or tasks on one object can be interleaved.
  ///
  /// The number of orders is that of the interleavings of the object's steps in one execution: an
  /// upper bound of what the object alone contributes.
  package func sourcesOfOrders(most: Int) -> [String] {
    var steps: [Int: [Step]] = [:]
    for step in self.steps where step.object > 0 && Self.mayConflict(step) {
      steps[step.object, default: []].append(step)
    }
    let counted = steps.map { object, steps in (object, steps, Self.decimals(steps, by: party)) }
    return counted.filter { $0.2 > 0 }
      .sorted { ($0.2, $1.0) > ($1.2, $0.0) }.prefix(most)
      .map { line($0, $1, decimals: $2) }
  }

  /// False for a step that only waits for another step, or that no other step can precede.
  private static func mayConflict(_ step: Step) -> Bool {
    switch step.operation {
    case "turn on actor", "begin", "begin task", "continue", "end task", "start", "join", "await",
      "Task.sleep":
      false
    default: !step.operation.hasPrefix("await ") && !step.operation.hasSuffix("section")
    }
  }

  /// The decimal logarithm of the number of interleavings.
  private static func decimals(_ steps: [Step], by party: (Step) -> Party) -> Double {
    func logarithm(_ count: Int) -> Double { lgamma(Double(count + 1)) / log(10) }
    let counts = Dictionary(grouping: steps, by: party).values.map(\.count)
    return logarithm(steps.count) - counts.map(logarithm).reduce(0, +)
  }

  private func line(_ object: Int, _ steps: [Step], decimals: Double) -> String {
    let parties = Set(steps.map(party)).count
    let areTasks = steps.allSatisfy { $0.task != nil }
    // Below 6 digits the logarithm identifies the integer exactly.
    let orders = decimals < 6 ? "\(Int(pow(10, decimals).rounded()))" : "10^\(Int(decimals))"
    let prefix = "  #\(object): "
    let known = legend.first { $0.hasPrefix(prefix) }?.dropFirst(prefix.count)
    let name = known.map(String.init) ?? text(steps[0])
    return "\(name): \(steps.count) steps of \(parties) \(areTasks ? "tasks" : "threads") have"
      + " \(orders) orders"
  }
}
