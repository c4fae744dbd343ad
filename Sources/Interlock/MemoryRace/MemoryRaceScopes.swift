internal import SectionTable

/// Parts of a process, such as its tests, that receive the races of their tasks and threads.
package enum MemoryRaceScopes {
  /// The scopes that receive a race.
  package struct Owners: Sendable, Hashable {
    /// The numbers of the scopes; empty for a race of the process.
    package var scopes: Set<UInt>
    /// True if there are scopes, but the race cannot be assigned to one.
    package var isOfRun: Bool
    /// True if no side shows the scope, but only one scope is open.
    package var isOnlyOne: Bool

    /// Creates the set of scopes.
    package init(_ scopes: Set<UInt>, isOfRun: Bool = false, isOnlyOne: Bool = false) {
      self.scopes = scopes
      self.isOfRun = isOfRun
      self.isOnlyOne = isOnlyOne
    }
  }

  /// A race with the scopes for which it is new.
  package struct Race: Sendable {
    /// The race.
    package var race: MemoryRace
    /// The scopes.
    package var owners: Owners

    /// Describes a race.
    package init(_ race: MemoryRace, of owners: Owners) {
      self.race = race
      self.owners = owners
    }
  }

  /// Attributes races to scopes. Implemented by the library for tests.
  package protocol Attribution: AnyObject, Sendable {
    /// The scope of the calling task or thread; 0 for none.
    var ofCaller: UInt { get }
    /// The scopes that receive a race between accesses in two scopes.
    func owners(_ first: UInt, _ second: UInt) -> Owners
    /// Receives a race, on the thread of the second access. Returns false to leave the race to
    /// `SectionTracking.onConflict`.
    func receive(_ race: Race) -> Bool
  }

  private final class Holder: Sendable {
    let attribution: any Attribution

    init(_ attribution: any Attribution) { self.attribution = attribution }
  }

  /// Functions called by a thread that has entered or left a scope, and by a thread that begins a
  /// scope.
  private struct Listener: Sendable {
    var entered: @Sendable () -> Void
    var begun: @Sendable () -> Void
  }

  // Not behind a lock: the memory check reads the scope constantly.
  private static let holder = LastingObject<Holder>()
  private static let listener = Guarded<Listener?>(nil)
  /// The known pairs of each scope; those of the process have the number 0.
  private static let known = Guarded<[UInt: KnownMemoryRaces]>([:])

  /// Attributes accesses to scopes from now on. Call it once in a process.
  package static func start(_ attribution: any Attribution) { holder.set(Holder(attribution)) }

  /// The scope of the calling task or thread; 0 for none.
  package static var ofCaller: UInt {
    var number: UInt = 0
    _ = holder.with { number = $0.attribution.ofCaller }
    return number
  }

  /// The scopes that receive a race between accesses in two scopes.
  package static func owners(_ first: UInt, _ second: UInt) -> Owners {
    var owners = Owners([])
    _ = holder.with { owners = $0.attribution.owners(first, second) }
    return owners
  }

  /// The owners for which a pair of call sites is new; `nil` if there are none. The pair counts as
  /// known to them afterwards.
  package static func isNew(_ sites: KnownMemoryRaces.Sites, for owners: Owners) -> Owners? {
    part(of: owners) {
      $0.contains(sites)
    } insert: {
      $0.insert(sites)
    }
  }

  /// The owners for which the places of a race are new; `nil` if there are none. The places count
  /// as known to them afterwards.
  package static func isNew(_ race: MemoryRace, for owners: Owners) -> Owners? {
    part(of: owners) {
      $0.contains(race)
    } insert: {
      $0.insert(race)
    }
  }

  private static func part(
    of owners: Owners, isKnown: (KnownMemoryRaces) -> Bool,
    insert: (inout KnownMemoryRaces) -> Void
  ) -> Owners? {
    known.withLock { known in
      let all = owners.scopes.isEmpty ? [0] : owners.scopes
      let new = all.filter { known[$0].map(isKnown) != true }
      for scope in new { insert(&known[scope, default: .init()]) }
      // A race of the run, found while several scopes were open, does not also belong to the last
      // of them.
      if new.isEmpty || owners.isOnlyOne && known[0].map(isKnown) == true { return nil }
      var part = owners
      if !owners.scopes.isEmpty { part.scopes = new }
      return part
    }
  }

  /// Passes a race on; returns true if a scope or the run has taken it.
  package static func receive(_ race: Race) -> Bool {
    var isTaken = false
    _ = holder.with { isTaken = $0.attribution.receive(race) }
    return isTaken
  }

  /// Sets the functions of the memory check: one for each thread that enters or leaves a scope, and
  /// one for the beginning of a scope.
  package static func onChange(
    _ entered: @escaping @Sendable () -> Void, begun: @escaping @Sendable () -> Void
  ) {
    listener.withLock { $0 = Listener(entered: entered, begun: begun) }
  }

  /// Called when the calling thread has entered or left a scope.
  package static func noteChange() { listener.withLock { $0 }?.entered() }

  /// Called when a scope begins. Its races are its own, even if another scope has had them.
  package static func noteBegin() { listener.withLock { $0 }?.begun() }

  /// Called when a scope has ended, and receives no more races.
  package static func noteEnd(of scope: UInt) {
    known.withLock { _ = $0.removeValue(forKey: scope) }
  }
}
