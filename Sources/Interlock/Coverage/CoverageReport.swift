internal import SectionTable

/// The contention coverage of a run: whether a green run is evidence of correct locking.
public struct CoverageReport: Sendable, Hashable, Codable {
  /// Whether several owners accessed a resource.
  public enum Contention: String, Sendable, Hashable, CaseIterable, Codable {
    /// At least one instance was accessed by two owners.
    case shared
    /// Every instance was accessed by one owner only: its protection was not tested.
    case oneOwner
    /// No instance was seen with two owners, but there were too many instances to follow all.
    case unknown
  }

  /// The result for two places on one resource, at least one of which writes.
  public enum Outcome: String, Sendable, Hashable, CaseIterable, Codable {
    /// They overlapped: a conflict.
    case overlapped
    /// Two owners accessed the same part of the same instance within 100 ms.
    case nearMiss
    /// Neither.
    case apart
  }

  /// A place at which sections were begun.
  public struct Visited: Sendable, Hashable, Codable {
    /// The place.
    public var place: Place
    /// Whether the sections read or write.
    public var mode: Mode
    /// Whether only one owner has begun sections there.
    public var byOneOwner: Bool

    /// Describes a place.
    public init(place: Place, mode: Mode, byOneOwner: Bool) {
      self.place = place
      self.mode = mode
      self.byOneOwner = byOneOwner
    }
  }

  /// Two places of a resource, by index in `places`; the indexes are equal if two owners access one
  /// place.
  public struct Pair: Sendable, Hashable, Codable {
    /// The index of one place.
    public var first: Int
    /// The index of the other place.
    public var second: Int
    /// The result for the pair.
    public var outcome: Outcome

    /// Describes a pair.
    public init(first: Int, second: Int, outcome: Outcome) {
      self.first = first
      self.second = second
      self.outcome = outcome
    }
  }

  /// All resources of one name.
  public struct Resource: Sendable, Hashable, Codable {
    /// The name.
    public var name: String
    /// How many owners accessed it, at most `mostOwners`.
    public var owners: Int
    /// Whether two owners accessed one instance.
    public var contention: Contention
    /// Where it was accessed.
    public var places: [Visited]
    /// Pairs of places, at most `mostPairs`: those that overlapped first, those that never did
    /// last.
    public var pairs: [Pair]
    /// The number of pairs that overlapped.
    public var overlapped: Int
    /// The number of pairs that nearly overlapped.
    public var nearMisses: Int
    /// The number of pairs that never overlapped.
    public var apart: Int

    /// Describes a resource.
    public init(
      name: String, owners: Int, contention: Contention, places: [Visited], pairs: [Pair],
      overlapped: Int, nearMisses: Int, apart: Int
    ) {
      self.name = name
      self.owners = owners
      self.contention = contention
      self.places = places
      self.pairs = pairs
      self.overlapped = overlapped
      self.nearMisses = nearMisses
      self.apart = apart
    }
  }

  /// The most owners of a resource that are distinguished.
  public static let mostOwners = CoverageTables.mostOwners
  /// The most pairs of a resource that are listed; all are counted.
  public static let mostPairs = 100

  /// The resources in the order of their first access.
  public var resources: [Resource]
  /// Whether a table was full: the names, places or pairs that came last are then missing.
  public var isFull: Bool
  /// Whether anything was recorded. If not, an empty report does not mean that no section was
  /// begun.
  public var isMeasured: Bool

  /// An empty report.
  public init(isMeasured: Bool = true) {
    resources = []
    isFull = false
    self.isMeasured = isMeasured
  }

  /// The resources that were accessed by one owner only.
  public var notTested: [Resource] { resources.filter { $0.contention == .oneOwner } }
}
