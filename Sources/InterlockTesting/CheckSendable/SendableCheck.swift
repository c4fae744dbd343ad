import Explorer
import Interlock
import InterlockWatchdog
import Testing

/// The check of one type. The pairs run one after the other.
struct SendableCheck<Subject: Sendable>: Sendable {
  typealias Operation = SendableOperations<Subject>.Operation

  let make: @Sendable () async throws -> Subject
  let plan: SendableOperations<Subject>
  let place: SourceLocation
  private let name: String
  private let rounds: Int
  private let hangLimit: Duration

  init(
    _ make: @escaping @Sendable () async throws -> Subject, _ plan: SendableOperations<Subject>,
    at place: SourceLocation, name: String, rounds: Int, hangLimit: Duration
  ) {
    self.make = make
    self.plan = plan
    self.place = place
    self.name = name
    self.rounds = rounds
    self.hangLimit = hangLimit
  }

  /// Runs all pairs, or the pair that `replay` names. Records an issue if no pair was checked.
  func matrix(within budget: Duration, replay: String?) async throws -> SendableMatrix {
    var pairs = try plan.operations.indices.flatMap { first in
      try plan.operations[first...].map { second in try pair(plan.operations[first], second) }
    }
    let replay = try replay ?? inherited(for: pairs)
    if let replay {
      pairs = pairs.filter { $0.accepts(replay) }
      guard !pairs.isEmpty else {
        throw StressError("the replay '\(replay.prefix(80))' belongs to no pair of this check")
      }
    }
    let marked = try await operationsWithSections()
    var matrix = SendableMatrix(
      type: "\(Subject.self)", operations: plan.operations.map(\.name), pairs: [],
      place: "\(place.fileName):\(place.line)")
    var end = ContinuousClock.now + budget
    for (index, pair) in pairs.enumerated() {
      try Task.checkCancellation()
      let share = max((end - .now) / (pairs.count - index), .milliseconds(100))
      let (outcome, waited) = try await pair.run(
        within: share, replay: replay,
        unmarked: [pair.first.name, pair.second.name].first { !marked.contains($0) })
      matrix.pairs.append(outcome)
      // Add the time spent waiting for other tests to the budget.
      end += waited
    }
    if replay == nil, !matrix.pairs.contains(where: \.outcome.isChecked) {
      recordIssue(matrix.report, at: place)
    }
    return matrix
  }

  private func pair(_ first: Operation, _ second: Operation) throws -> SendablePairCheck<Subject> {
    let name = "\(name) \(first.name) + \(second.name)"
    let stress = try StressPlan(callers: 2, rounds: rounds, kind: .threads, function: name)
    return SendablePairCheck(
      first: first, second: second, of: self, name: name, stress: stress, hangLimit: hangLimit)
  }

  private func inherited(for pairs: [SendablePairCheck<Subject>]) throws -> String? {
    guard let text = try StressPlan.replayOfEnvironment() else { return nil }
    return pairs.contains { $0.accepts(text) } ? text : nil
  }

  /// Runs each operation alone, and returns the names of the operations that begin a section.
  private func operationsWithSections() async throws -> Set<String> {
    let watch = WatchedWork.begin(
      limit: hangLimit, note: "checkSendable at \(place.fileName):\(place.line)")
    defer { watch.end() }
    var names: Set<String> = []
    for operation in plan.operations {
      let subject = try await make()
      let scope = TestScope(at: place, note: "in the operation '\(operation.name)' by itself")
      do {
        try await scope.run { () async throws in try await operation.body(subject) }
      } catch {
        throw StressError("the operation '\(operation.name)' fails by itself: \(error)")
      }
      if scope.hasSections { names.insert(operation.name) }
    }
    return names
  }
}
