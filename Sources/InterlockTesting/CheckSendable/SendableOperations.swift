/// The operations that `checkSendable` runs, and the invariants that it checks after them.
public struct SendableOperations<Subject: Sendable>: Sendable {
  typealias Body = @Sendable (Subject) async throws -> Void

  /// An operation with its name in the matrix.
  struct Operation: Sendable {
    var name: String
    var body: Body
  }

  private(set) var operations: [Operation] = []
  private(set) var invariants: [Body] = []
  private(set) var state: (@Sendable (Subject) async throws -> SubjectState)?

  /// Adds an operation, which runs against every operation, itself included.
  ///
  /// - Parameters:
  ///   - name: The name in the matrix: not empty, and unique.
  ///   - body: The operation. It must succeed on a new subject. Its result is ignored.
  public mutating func operation<Result>(
    _ name: String, _ body: @escaping @Sendable (Subject) async throws -> Result
  ) {
    operations.append(Operation(name: name) { _ = try await body($0) })
  }

  /// Adds an invariant, which must hold whenever no operation runs.
  ///
  /// - Parameter body: Checks the invariant with expectations, or throws an error.
  public mutating func invariant(_ body: @escaping @Sendable (Subject) async throws -> Void) {
    invariants.append(body)
  }

  /// Compares the state after concurrent operations with the states after sequential ones.
  ///
  /// Each order of whole operations is executed first. A state that none of them leaves is a
  /// conflict. The state must depend on the operations alone.
  ///
  /// - Parameter value: Returns the state of a subject.
  public mutating func state<Value: Hashable & Sendable>(
    _ value: @escaping @Sendable (Subject) async throws -> Value
  ) {
    state = { SubjectState(try await value($0)) }
  }

  /// Why the operations cannot be checked, in one line; `nil` if they can.
  var problem: String? {
    let names = operations.map(\.name)
    if names.isEmpty { return "there is no operation to check: add one by 'operation'" }
    if names.contains("") { return "an operation needs a name, found none" }
    let double = names.first { name in names.count { $0 == name } > 1 }
    return double.map { "two operations have the name '\($0)'" }
  }
}

/// The state of a subject, for comparison.
struct SubjectState: Hashable, @unchecked Sendable, CustomStringConvertible {
  // Unchecked: `AnyHashable` is not Sendable, but the value in it is.
  private let value: AnyHashable

  init<Value: Hashable & Sendable>(_ value: Value) { self.value = AnyHashable(value) }

  var description: String { "\(value.base)" }
}
