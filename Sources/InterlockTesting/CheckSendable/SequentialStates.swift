/// The states that two operations leave if they never run at once. Each order of whole operations
/// is executed on its own subject.
struct SequentialStates: Sendable {
  private let allowed: Set<SubjectState>

  /// Executes the orders of `count` executions of each operation.
  ///
  /// - Throws: `StressError` if one order leaves two different states; any error of an operation.
  init<Subject: Sendable>(
    of first: SendableOperations<Subject>.Operation,
    and second: SendableOperations<Subject>.Operation, times count: Int,
    on make: () async throws -> Subject,
    state: ((Subject) async throws -> SubjectState)?
  ) async throws {
    let (ones, others) = (
      Array(repeating: true, count: count), Array(repeating: false, count: count)
    )
    let isSame = first.name == second.name
    // Without a state function, the operations need only succeed.
    let orders =
      isSame ? [ones + ones] : state == nil ? [ones + others, others + ones] : Self.orders(count)
    var allowed: Set<SubjectState> = []
    for (index, order) in orders.enumerated() {
      // Run the first order twice: a state that differs does not depend on the operations alone.
      for _ in 0..<(index == 0 ? 2 : 1) {
        let subject = try await make()
        for isFirst in order {
          let operation = isFirst ? first : second
          do {
            try await operation.body(subject)
          } catch {
            throw StressError(
              "'\(operation.name)' fails after '\((isFirst ? second : first).name)' even one after"
                + " the other: \(error)")
          }
        }
        if let state { allowed.insert(try await state(subject)) }
      }
      if index == 0, allowed.count > 1 {
        throw StressError(
          "'state' is another after '\(first.name)' and then '\(second.name)' on another new"
            + " subject: \(Self.text(allowed)); it must follow from the operations alone")
      }
    }
    self.allowed = allowed
  }

  /// Why a state is wrong; `nil` if a sequential order leaves it.
  func problem(_ state: SubjectState) -> String? {
    if allowed.contains(state) { return nil }
    return "the state is \(state); one after the other, the operations leave \(Self.text(allowed))"
  }

  private static func orders(_ count: Int) -> [[Bool]] { orders(count, count) }

  /// All sequences of `first` times `true` and `second` times `false`.
  private static func orders(_ first: Int, _ second: Int) -> [[Bool]] {
    if first == 0 { return [Array(repeating: false, count: second)] }
    if second == 0 { return [Array(repeating: true, count: first)] }
    return orders(first - 1, second).map { [true] + $0 }
      + orders(first, second - 1).map { [false] + $0 }
  }

  private static func text(_ states: Set<SubjectState>) -> String {
    let texts = states.map { "\($0)" }.sorted()
    return texts.prefix(3).joined(separator: " or ")
      + (texts.count > 3 ? " or \(texts.count - 3) more" : "")
  }
}
