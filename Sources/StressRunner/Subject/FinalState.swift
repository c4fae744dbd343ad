/// A subject's state at rest, for the oracles. Parts that the subject leaves out are not checked.
public struct FinalState: Sendable, Hashable {
  /// A sum that the subject keeps, with the recounted value.
  public struct Total: Sendable, Hashable {
    /// The name in evidence: "the byte count of the disk".
    public var name: String
    /// The value that the subject keeps.
    public var claimed: Int
    /// The recounted value.
    public var counted: Int

    /// Describes a sum.
    public init(_ name: String, claimed: Int, counted: Int) {
      self.name = name
      self.claimed = claimed
      self.counted = counted
    }
  }

  /// A quantity with a limit.
  public struct Limit: Sendable, Hashable {
    /// The name in evidence: "entries in memory".
    public var name: String
    /// The current value.
    public var value: Int
    /// The largest allowed value.
    public var limit: Int

    /// Describes a limit.
    public init(_ name: String, value: Int, limit: Int) {
      self.name = name
      self.value = value
      self.limit = limit
    }
  }

  /// An announcement by the subject, or a request by its user, in order of occurrence.
  public enum Event: Sendable, Hashable {
    /// The subject announced that it will do this to a key.
    case will(String, key: String)
    /// The subject announced that it has done this to a key.
    case did(String, key: String)
    /// A `cancel()` of this request has returned.
    case cancelled(request: Int)
    /// The callback of this request was called.
    case calledBack(request: Int)
  }

  /// The number of entries that the subject claims to hold.
  public var count: Int
  /// The total cost that the subject keeps; `nil` if it keeps none.
  public var totalCost: Int?
  /// The entries: key and cost.
  public var entries: [String: Int]
  /// The values under those keys.
  public var values: [String: [UInt8]]
  /// Other sums that the subject keeps, for `totals-match`.
  public var totals: [Total] = []
  /// The keys of each structure that must hold the same keys, by the structure's name, for
  /// `indexes-agree`.
  public var indexes: [String: Set<String>] = [:]
  /// The values in each layer, by the layer's name, for `layers-agree`.
  ///
  /// Layers that hold the same key must hold the same value.
  public var layers: [String: [String: [UInt8]]] = [:]
  /// Quantities that must not exceed their limits, for `limits-hold`.
  public var limits: [Limit] = []
  /// The events in order of occurrence, for `events-paired` and `silent-after-cancel`.
  public var events: [Event] = []

  /// Describes a state.
  public init(
    count: Int, totalCost: Int? = nil, entries: [String: Int], values: [String: [UInt8]] = [:]
  ) {
    self.count = count
    self.totalCost = totalCost
    self.entries = entries
    self.values = values
  }
}
