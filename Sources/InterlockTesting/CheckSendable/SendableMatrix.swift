/// How every two operations of a type behave against each other.
public struct SendableMatrix: Sendable, Hashable {
  /// The result for two operations that run at once.
  public enum Outcome: Sendable, Hashable {
    /// All orders were executed, and none failed.
    ///
    /// The orders are those of controlled calls and of sections that both operations begin, under
    /// sequential consistency. They do not cover memory accesses outside of sections.
    case safe(orders: Int)
    /// The orders and rounds that were run show no conflict. The check may have missed one.
    ///
    /// - Parameters:
    ///   - orders: The number of explored orders.
    ///   - rounds: The number of rounds in which two threads ran the operations at once.
    case noConflictSeen(orders: Int, rounds: Int)
    /// The two operations conflict. Each line says where, or what failed.
    case conflict([String])
    /// Nothing that ran could have shown a conflict. The reason says why.
    case unobservable(String)
  }

  /// Two operations, which may be the same.
  public struct Pair: Sendable, Hashable {
    /// The operation that was added first.
    public var first: String
    /// The operation that was added last.
    public var second: String
    /// The result of the check.
    public var outcome: Outcome
    /// Reasons why the check ran less than it could, one reason a line.
    public var notes: [String] = []
  }

  /// The type that was checked.
  public var type: String
  /// The operations, in the order in which they were added.
  public var operations: [String]
  /// The pairs that were tried, row by row.
  public var pairs: [Pair]
  /// The line of the check, as in `StoreTests.swift:9`.
  public var place: String

  /// True if a pair conflicts.
  public var hasConflict: Bool { pairs.contains { $0.outcome.isConflict } }

  /// The pair of two operations, in either order; `nil` if it was not checked.
  public subscript(first: String, second: String) -> Pair? {
    pairs.first {
      ($0.first, $0.second) == (first, second) || ($0.first, $0.second) == (second, first)
    }
  }
}

extension SendableMatrix.Outcome {
  /// True if the two operations conflict.
  public var isConflict: Bool {
    if case .conflict = self { true } else { false }
  }

  /// True if a conflict could have been seen. A single round on threads is not enough.
  public var isChecked: Bool {
    switch self {
    case .safe, .conflict: true
    case .noConflictSeen(_, let rounds): rounds != 1
    case .unobservable: false
    }
  }
}
