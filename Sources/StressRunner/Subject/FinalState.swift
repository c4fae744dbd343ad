/// A subject's state at rest, for the oracles. What a subject does not say is not checked.
public struct FinalState: Sendable, Hashable {
  /// A sum that the subject keeps, and what it should be.
  public struct Total: Sendable, Hashable {
    /// What it is called: "the byte count of the disk".
    public var name: String
    /// What the subject says.
    public var claimed: Int
    /// What counting gives.
    public var counted: Int

    /// Describes a sum.
    public init(_ name: String, claimed: Int, counted: Int) {
      self.name = name
      self.claimed = claimed
      self.counted = counted
    }
  }

  /// Something that must not grow above a limit.
  public struct Limit: Sendable, Hashable {
    /// What it is called: "entries in memory".
    public var name: String
    /// How much there is.
    public var value: Int
    /// How much there may be.
    public var limit: Int

    /// Describes a limit.
    public init(_ name: String, value: Int, limit: Int) {
      self.name = name
      self.value = value
      self.limit = limit
    }
  }

  /// Something that the subject told its users, or that they told it, in the order of happening.
  public enum Event: Sendable, Hashable {
    /// The subject said that it is about to do this to a key.
    case will(String, key: String)
    /// The subject said that it has done this to a key.
    case did(String, key: String)
    /// A `cancel()` of this request has returned.
    case cancelled(request: Int)
    /// The callback of this request was called.
    case calledBack(request: Int)
  }

  /// How many entries the subject says it holds.
  public var count: Int
  /// What the subject says that its entries cost together; `nil` where it keeps no cost.
  public var totalCost: Int?
  /// The entries themselves: key and cost.
  public var entries: [String: Int]
  /// The values under those keys.
  public var values: [String: [UInt8]]
  /// Other sums that the subject keeps, for `totals-match`.
  public var totals: [Total] = []
  /// The keys in each of the structures that must hold the same ones, by the structure's name, for
  /// `indexes-agree`.
  public var indexes: [String: Set<String>] = [:]
  /// The values in each layer, by the layer's name: where two layers have a key, they must have one
  /// value, for `layers-agree`.
  public var layers: [String: [String: [UInt8]]] = [:]
  /// What must not be above its limit, for `limits-hold`.
  public var limits: [Limit] = []
  /// What was told, in the order of happening, for `events-paired` and `silent-after-cancel`.
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
