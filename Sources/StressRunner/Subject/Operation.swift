/// One call that a workload makes on a subject.
///
/// The key and the value follow from the scenario and the seed alone, so that the same seed is the
/// same workload.
public struct Operation: Sendable, Hashable {
  /// What is called.
  public enum Kind: Sendable, Hashable {
    /// Read a key, in the subject's synchronous form.
    case get
    /// Store a value, in the subject's synchronous form.
    case set
    /// Remove a key, in the subject's synchronous form.
    case remove
    /// Remove every key.
    case removeAll
    /// Ask how many keys there are.
    case count
    /// Read a key, in the subject's asynchronous form.
    case getAsync
    /// Store a value, in the subject's asynchronous form.
    case setAsync
    /// Remove a key, in the subject's asynchronous form.
    case removeAsync
    /// One of the subject's own, by its name: what `SubjectEntry.actions` lists.
    case action(String)
  }

  /// What is called.
  public var kind: Kind
  /// The key, from `key-0`; empty for the kinds that take none.
  public var key: String
  /// The bytes to store; empty for the kinds that store nothing.
  public var value: [UInt8]
  /// What the value costs, in the subject's own unit; the value's size where nothing else is said.
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
  /// What a subject's own calls begin with in a scenario file.
  static let actionPrefix = "subject."

  /// The kinds that every cache may have: all but a subject's own.
  public static let allCases: [Operation.Kind] = [
    .get, .set, .remove, .removeAll, .count, .getAsync, .setAsync, .removeAsync,
  ]

  /// The kind of this name in a scenario file; a subject's own is `subject.` and its name.
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

  /// What the kind is called in a scenario file and in evidence.
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

/// What a call gave back.
public enum Reply: Sendable, Hashable {
  /// It was done, and gives nothing back.
  case done
  /// The value that was read; `nil` where the key is not there.
  case value([UInt8]?)
  /// The number of keys.
  case count(Int)
}
