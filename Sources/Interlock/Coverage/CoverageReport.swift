internal import SectionTable

/// The contention coverage of a run. It shows whether a green run is evidence of correct locking.
public struct CoverageReport: Sendable, Hashable, Codable {
  /// The contention on a resource: whether several owners accessed it.
  public enum Contention: String, Sendable, Hashable, CaseIterable, Codable {
    /// At least one instance was accessed by two owners.
    case shared
    /// Every instance was accessed by one owner only: the resource's protection was not tested.
    case oneOwner
    /// No instance was seen with two owners, but there were too many instances to follow all.
    case unknown
  }

  /// The result for two places on one resource, at least one of which writes.
  public enum Outcome: String, Sendable, Hashable, CaseIterable, Codable {
    /// The two places overlapped: a conflict.
    case overlapped
    /// Two owners accessed the same part of the same instance within 100 ms.
    case nearMiss
    /// Neither of the above.
    case apart
  }

  /// A place at which sections were begun.
  public struct Visited: Sendable, Hashable, Codable {
    /// The place.
    public var place: Place
    /// The mode of the sections: read or write.
    public var mode: Mode
    /// True if only one owner has begun sections at the place.
    public var byOneOwner: Bool

    /// Describes a place.
    public init(place: Place, mode: Mode, byOneOwner: Bool) {
      self.place = place
      self.mode = mode
      self.byOneOwner = byOneOwner
    }
  }

  /// Two places of a resource, as indices into `places`. The indices are equal if two owners access
  /// one place.
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

  /// All resources with one name.
  public struct Resource: Sendable, Hashable, Codable {
    /// The name.
    public var name: String
    /// The number of owners that accessed the resource, at most `mostOwners`.
    public var owners: Int
    /// The contention: whether two owners accessed one instance.
    public var contention: Contention
    /// The places that accessed the resource.
    public var places: [Visited]
    /// Pairs of places, at most `mostPairs`: those that overlapped come first, those that never did
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

  /// The most owners of a resource that can be distinguished.
  public static let mostOwners = CoverageTables.mostOwners
  /// The most listed pairs of a resource; all are counted.
  public static let mostPairs = 100

  /// The resources in the order of their first access.
  public var resources: [Resource]
  /// True if a table was full. The last names, places or pairs are then missing.
  public var isFull: Bool
  /// True if coverage was recorded. If not, an empty report does not mean that no section was
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
