internal import SectionTable

/// Parts of a process, such as its tests, that get the races of their tasks and threads.
package enum MemoryRaceScopes {
  /// The scopes that get a race.
  package struct Owners: Sendable, Hashable {
    /// Their numbers; none for a race of the process.
    package var scopes: Set<UInt>
    /// Whether scopes are there, but none can be told for the race.
    package var isOfRun: Bool
    /// Whether no side shows the scope, which is the only one.
    package var isOnlyOne: Bool

    /// Names the scopes.
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

  /// What attributes races: the library for tests.
  package protocol Attribution: AnyObject, Sendable {
    /// The scope of the calling task or thread; 0 for none.
    var ofCaller: UInt { get }
    /// The scopes that get a race of accesses in two scopes.
    func owners(_ first: UInt, _ second: UInt) -> Owners
    /// Receives a race, on the thread of the second access; returns false to leave it to
    /// `SectionTracking.onConflict`.
    func receive(_ race: Race) -> Bool
  }

  private final class Holder: Sendable {
    let attribution: any Attribution

    init(_ attribution: any Attribution) { self.attribution = attribution }
  }

  /// Called by a thread that has entered or left a scope, and by one that begins a scope.
  private struct Listener: Sendable {
    var entered: @Sendable () -> Void
    var begun: @Sendable () -> Void
  }

  // Without a lock: the check of memory asks for the scope again and again.
  private static let holder = LastingObject<Holder>()
  private static let listener = Guarded<Listener?>(nil)
  /// The pairs of each scope that has any; of 0, those of the process.
  private static let known = Guarded<[UInt: KnownMemoryRaces]>([:])

  /// Attributes the accesses from now on. Call it once in a process.
  package static func start(_ attribution: any Attribution) { holder.set(Holder(attribution)) }

  /// The scope of the calling task or thread; 0 for none.
  package static var ofCaller: UInt {
    var number: UInt = 0
    _ = holder.with { number = $0.attribution.ofCaller }
    return number
  }

  /// The scopes that get a race of accesses in two scopes.
  package static func owners(_ first: UInt, _ second: UInt) -> Owners {
    var owners = Owners([])
    _ = holder.with { owners = $0.attribution.owners(first, second) }
    return owners
  }

  /// Those of the owners for which a pair of call sites is new; `nil` if it is for none. From then
  /// on it is not.
  package static func isNew(_ sites: KnownMemoryRaces.Sites, for owners: Owners) -> Owners? {
    part(of: owners) {
      $0.contains(sites)
    } insert: {
      $0.insert(sites)
    }
  }

  /// Those of the owners for which the places of a race are new; `nil` if they are for none. From
  /// then on they are not.
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
      // What the run has, while several were open, is not that of the last of them too.
      if new.isEmpty || owners.isOnlyOne && known[0].map(isKnown) == true { return nil }
      var part = owners
      if !owners.scopes.isEmpty { part.scopes = new }
      return part
    }
  }

  /// Passes a race on; returns whether a scope, or the run, has taken it.
  package static func receive(_ race: Race) -> Bool {
    var isTaken = false
    _ = holder.with { isTaken = $0.attribution.receive(race) }
    return isTaken
  }

  /// Has functions called, those of the check of memory: by each thread that enters or leaves a
  /// scope, and when a scope begins.
  package static func onChange(
    _ entered: @escaping @Sendable () -> Void, begun: @escaping @Sendable () -> Void
  ) {
    listener.withLock { $0 = Listener(entered: entered, begun: begun) }
  }

  /// The calling thread has entered or left a scope.
  package static func noteChange() { listener.withLock { $0 }?.entered() }

  /// A scope begins, whose races are its own also where another scope had them.
  package static func noteBegin() { listener.withLock { $0 }?.begun() }

  /// A scope has ended, and gets no more races.
  package static func noteEnd(of scope: UInt) {
    known.withLock { _ = $0.removeValue(forKey: scope) }
  }
}
