/// How every two operations of a type behave against each other.
public struct SendableMatrix: Sendable, Hashable {
  /// What is known of two operations that run at once.
  public enum Outcome: Sendable, Hashable {
    /// All orders were executed, and none failed.
    ///
    /// The orders are those of the controlled calls and of the sections that both operations begin,
    /// under sequential consistency. Accesses to memory outside sections are not among them.
    case safe(orders: Int)
    /// What was tried shows no conflict.
    ///
    /// - Parameters:
    ///   - orders: How many orders were explored.
    ///   - rounds: How often two threads ran the operations at once.
    case noConflictSeen(orders: Int, rounds: Int)
    /// The two conflict: each line says where, or what failed.
    case conflict([String])
    /// Nothing could have shown a conflict, for this reason.
    case unobservable(String)
  }

  /// Two operations, which may be the same.
  public struct Pair: Sendable, Hashable {
    /// The operation that was added first.
    public var first: String
    /// The other one.
    public var second: String
    /// What is known of them.
    public var outcome: Outcome
    /// Why less was tried than could be, one reason a line.
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

  /// Whether a pair conflicts.
  public var hasConflict: Bool { pairs.contains { $0.outcome.isConflict } }

  /// The pair of two operations, in either order; `nil` if it was not tried.
  public subscript(first: String, second: String) -> Pair? {
    pairs.first {
      ($0.first, $0.second) == (first, second) || ($0.first, $0.second) == (second, first)
    }
  }
}

extension SendableMatrix.Outcome {
  /// Whether the two operations conflict.
  public var isConflict: Bool {
    if case .conflict = self { true } else { false }
  }

  /// Whether a conflict could have been seen: a single round on threads is too few for that.
  public var isChecked: Bool {
    switch self {
    case .safe, .conflict: true
    case .noConflictSeen(_, let rounds): rounds != 1
    case .unobservable: false
    }
  }
}
