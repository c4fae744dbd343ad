/// One call that a workload makes on a subject.
///
/// The key and the value follow from the seed alone, so that the same seed is the same workload.
public struct Operation: Sendable, Hashable {
  /// What is called.
  public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
    /// Read a key, in the subject's synchronous form.
    case get
    /// Store a value, in the subject's synchronous form.
    case set
    /// Remove a key, in the subject's synchronous form.
    case remove
    /// Remove every key.
    case removeAll = "remove-all"
    /// Ask how many keys there are.
    case count
    /// Read a key, in the subject's asynchronous form.
    case getAsync = "get-async"
    /// Store a value, in the subject's asynchronous form.
    case setAsync = "set-async"
    /// Remove a key, in the subject's asynchronous form.
    case removeAsync = "remove-async"
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

/// What a call gave back.
public enum Reply: Sendable, Hashable {
  /// It was done, and gives nothing back.
  case done
  /// The value that was read; `nil` where the key is not there.
  case value([UInt8]?)
  /// The number of keys.
  case count(Int)
}
