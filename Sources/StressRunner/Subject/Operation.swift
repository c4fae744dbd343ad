/// One call that a workload makes on a subject.
///
/// Key and value are determined by the scenario and the seed alone, so the same seed gives the same
/// workload.
public struct Operation: Sendable, Hashable {
  /// The kinds of call.
  public enum Kind: Sendable, Hashable {
    /// Read a key, in the subject's synchronous form.
    case get
    /// Store a value, in the subject's synchronous form.
    case set
    /// Remove a key, in the subject's synchronous form.
    case remove
    /// Remove every key.
    case removeAll
    /// Ask for the number of keys.
    case count
    /// Read a key, in the subject's asynchronous form.
    case getAsync
    /// Store a value, in the subject's asynchronous form.
    case setAsync
    /// Remove a key, in the subject's asynchronous form.
    case removeAsync
    /// A subject-specific call, by its name in `SubjectEntry.actions`.
    case action(String)
  }

  /// The kind of call.
  public var kind: Kind
  /// The key, such as `key-0`; empty for kinds without a key.
  public var key: String
  /// The bytes to store; empty for kinds that store nothing.
  public var value: [UInt8]
  /// The value's cost, in the subject's own unit; by default the value's size.
  public var cost: Int

  /// Describes one call.
  public init(kind: Kind, key: String, value: [UInt8] = [], cost: Int = 0) {
    self.kind = kind
    self.key = key
    self.value = value
    self.cost = cost
  }
}

extension Operation.Kind: RawRepresentable, CaseIterable, Codable {
  /// The prefix of subject-specific calls in a scenario file.
  static let actionPrefix = "subject."

  /// The kinds that every cache may support: all except subject-specific calls.
  public static let allCases: [Operation.Kind] = [
    .get, .set, .remove, .removeAll, .count, .getAsync, .setAsync, .removeAsync,
  ]

  /// The kind with this name in a scenario file. The name of a subject-specific call is prefixed
  /// with `subject.`.
  public init?(rawValue: String) {
    if let known = Self.allCases.first(where: { $0.rawValue == rawValue }) {
      self = known
    } else if rawValue.hasPrefix(Self.actionPrefix) {
      let name = String(rawValue.dropFirst(Self.actionPrefix.count))
      guard isName(name) else { return nil }
      self = .action(name)
    } else {
      return nil
    }
  }

  /// The name of the kind in a scenario file and in evidence.
  public var rawValue: String {
    switch self {
    case .get: "get"
    case .set: "set"
    case .remove: "remove"
    case .removeAll: "remove-all"
    case .count: "count"
    case .getAsync: "get-async"
    case .setAsync: "set-async"
    case .removeAsync: "remove-async"
    case .action(let name): Self.actionPrefix + name
    }
  }
}

/// The result of a call.
public enum Reply: Sendable, Hashable {
  /// Completed, without a value.
  case done
  /// The value that was read; `nil` if the key is absent.
  case value([UInt8]?)
  /// The number of keys.
  case count(Int)
  /// A check inside the call failed, with the evidence: a violation of `checks-hold`.
  case failed(String)
}
