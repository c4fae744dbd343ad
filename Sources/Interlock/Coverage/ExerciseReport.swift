/// What a run exercised of the sections in it, and what not: whether a green run means something.
public struct ExerciseReport: Sendable, Hashable, Codable {
  /// Whether more than one owner touched a resource.
  public enum Contention: String, Sendable, Hashable, CaseIterable, Codable {
    /// At least one instance of it was touched by two owners.
    case shared
    /// Every instance was touched by one owner only: whether it is protected was not tested.
    case oneOwner
    /// No instance was seen with two owners, but there were too many instances to follow them all.
    case unknown
  }

  /// What came of two places on one resource, at least one of which writes.
  public enum Outcome: String, Sendable, Hashable, CaseIterable, Codable {
    /// They overlapped: a conflict.
    case met
    /// Two owners came to the same instance, and the same part, within 100 ms.
    case nearlyMet
    /// Neither.
    case neverMet
  }

  /// A place whose sections were begun.
  public struct Visited: Sendable, Hashable, Codable {
    /// Where.
    public var place: Place
    /// What the section lets others do.
    public var mode: Mode
    /// Whether one owner alone has been there.
    public var byOneOwner: Bool

    /// Describes a place.
    public init(place: Place, mode: Mode, byOneOwner: Bool) {
      self.place = place
      self.mode = mode
      self.byOneOwner = byOneOwner
    }
  }

  /// Two places of a resource, by their numbers in `places`; both numbers are one where two owners
  /// come to one place.
  public struct Pair: Sendable, Hashable, Codable {
    /// The number of the one.
    public var first: Int
    /// The number of the other.
    public var second: Int
    /// What came of them.
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
    /// How many owners touched it, `mostOwners` at most.
    public var owners: Int
    /// Whether two owners touched one instance of it.
    public var contention: Contention
    /// Where it was touched.
    public var places: [Visited]
    /// Pairs of places, those that met first and those that never met last; `mostPairs` at most.
    public var pairs: [Pair]
    /// How many pairs met.
    public var met: Int
    /// How many nearly met.
    public var nearlyMet: Int
    /// How many never met.
    public var neverMet: Int

    /// Describes a resource.
    public init(
      name: String, owners: Int, contention: Contention, places: [Visited], pairs: [Pair],
      met: Int, nearlyMet: Int, neverMet: Int
    ) {
      self.name = name
      self.owners = owners
      self.contention = contention
      self.places = places
      self.pairs = pairs
      self.met = met
      self.nearlyMet = nearlyMet
      self.neverMet = neverMet
    }
  }

  /// So many owners of a resource are told apart.
  public static let mostOwners = 15
  /// So many pairs of a resource are listed; all are counted.
  public static let mostPairs = 100

  /// The resources in the order in which they were first touched.
  public var resources: [Resource]
  /// Whether there were more names, places or pairs than are followed: those that came last are
  /// missing.
  public var isFull: Bool
  /// Whether anything was noted at all; where not, an empty report does not say that no section was
  /// begun.
  public var isMeasured: Bool

  /// A report of nothing.
  public init(isMeasured: Bool = true) {
    resources = []
    isFull = false
    self.isMeasured = isMeasured
  }

  /// Those that were touched by one owner only.
  public var notTested: [Resource] { resources.filter { $0.contention == .oneOwner } }
}
