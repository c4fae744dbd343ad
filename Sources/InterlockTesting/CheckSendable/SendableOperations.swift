/// What `checkSendable` drives: the operations of a type, and what must hold after two of them.
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

  /// Adds an operation, which is driven against every operation, itself included.
  ///
  /// - Parameters:
  ///   - name: Its name in the matrix: not empty, and different from the others.
  ///   - body: The operation. It must succeed on a new subject. Its result is ignored.
  public mutating func operation<Result>(
    _ name: String, _ body: @escaping @Sendable (Subject) async throws -> Result
  ) {
    operations.append(Operation(name: name) { _ = try await body($0) })
  }

  /// Adds what must hold whenever no operation runs, by expectations or errors.
  ///
  /// - Parameter body: Expects it.
  public mutating func invariant(_ body: @escaping @Sendable (Subject) async throws -> Void) {
    invariants.append(body)
  }

  /// Compares what operations leave when they run at once with what they leave one after the other.
  ///
  /// Each order of whole operations is executed first; a state that none of them leaves is a
  /// conflict. The state must follow from the operations alone.
  ///
  /// - Parameter value: The state of a subject.
  public mutating func state<Value: Hashable & Sendable>(
    _ value: @escaping @Sendable (Subject) async throws -> Value
  ) {
    state = { SubjectState(try await value($0)) }
  }

  /// Why nothing can be checked, in one line; `nil` if something can.
  var problem: String? {
    let names = operations.map(\.name)
    if names.isEmpty { return "there is no operation to check: add one by 'operation'" }
    if names.contains("") { return "an operation needs a name, found none" }
    let double = names.first { name in names.count { $0 == name } > 1 }
    return double.map { "two operations have the name '\($0)'" }
  }
}

/// A state of a subject, for comparison.
struct SubjectState: Hashable, @unchecked Sendable, CustomStringConvertible {
  // Unchecked: `AnyHashable` is not Sendable; the value in it is.
  private let value: AnyHashable

  init<Value: Hashable & Sendable>(_ value: Value) { self.value = AnyHashable(value) }

  var description: String { "\(value.base)" }
}
