/// The races in memory of this process. The product that checks memory adds to it; reports and
/// tests read it.
package enum MemoryRaceLog {
  /// A race that was found, and why it does not fail the process.
  package struct Entry: Sendable {
    /// The race.
    package var race: MemoryRace
    /// Why it is known already; `nil` for a new one.
    package var knownBecause: String?
    /// Whether a test has it as an issue.
    package var isIssue: Bool

    /// Whether the exit code shows it.
    package var isUnhandled: Bool { knownBecause == nil && !isIssue }

    /// Describes an entry.
    package init(_ race: MemoryRace, knownBecause: String? = nil, isIssue: Bool = false) {
      self.race = race
      self.knownBecause = knownBecause
      self.isIssue = isIssue
    }
  }

  private struct State {
    var entries: [Entry] = []
    var pairs: Set<Set<String>> = []
    var forget: (@Sendable () -> Void)?
  }

  private static let state = Guarded(State())

  /// The races found so far, each pair of places once.
  package static var entries: [Entry] { state.withLock { $0.entries } }

  /// Whether a pair of places is new; from then on it is not. A race of which only one place is
  /// known adds nothing to another one with that place.
  package static func isNew(_ race: MemoryRace) -> Bool {
    state.withLock { state in
      if let place = race.onlyPlace, state.pairs.contains(where: { $0.contains(place) }) {
        return false
      }
      return state.pairs.insert(race.places).inserted
    }
  }

  /// Whether the memory of this process is checked.
  package static var isFed: Bool { state.withLock { $0.forget != nil } }

  /// The memory of this process is checked from now on.
  ///
  /// - Parameter forget: Lets the check find known pairs of places again.
  package static func isFed(forgettingPairsBy forget: @escaping @Sendable () -> Void) {
    state.withLock { $0.forget = forget }
  }

  /// Takes each pair of places for new again.
  package static func forgetPairs() {
    let forget = state.withLock { state in
      state.pairs = []
      return state.forget
    }
    forget?()
  }

  /// Adds a race.
  package static func add(_ entry: Entry) { state.withLock { $0.entries.append(entry) } }
}

/// Parts of a process, such as its tests, that get the races of their tasks and threads.
package enum MemoryRaceScopes {
  /// A race with the scopes of its sides; 0 for none.
  package struct Race: Sendable {
    /// The race.
    package var race: MemoryRace
    /// The scope of the access that was found.
    package var firstScope: UInt
    /// The scope of the access that the calling thread makes.
    package var secondScope: UInt

    /// Describes a race.
    package init(_ race: MemoryRace, firstScope: UInt, secondScope: UInt) {
      self.race = race
      self.firstScope = firstScope
      self.secondScope = secondScope
    }
  }

  /// Receives a race, on the thread of the second access; returns false to leave it to
  /// `SectionTracking.onConflict`.
  package typealias Receiver = @Sendable (Race) -> Bool

  private final class Functions: Sendable {
    let source: @Sendable () -> UInt
    let receiver: Receiver

    init(_ source: @escaping @Sendable () -> UInt, _ receiver: @escaping Receiver) {
      self.source = source
      self.receiver = receiver
    }
  }

  // Without a lock: the check of memory asks for the scope again and again.
  private static let functions = LastingObject<Functions>()
  /// Called by a thread that has entered or left a scope.
  private static let changes = Guarded<(@Sendable () -> Void)?>(nil)

  /// Attributes the accesses from now on. Call it once in a process.
  package static func start(
    source: @escaping @Sendable () -> UInt, receiver: @escaping Receiver
  ) {
    functions.set(Functions(source, receiver))
  }

  /// The scope of the calling task or thread; 0 for none.
  package static var ofCaller: UInt {
    var number: UInt = 0
    _ = functions.with { number = $0.source() }
    return number
  }

  /// Passes a race on; returns whether a scope has taken it.
  package static func receive(_ race: Race) -> Bool {
    var isTaken = false
    _ = functions.with { isTaken = $0.receiver(race) }
    return isTaken
  }

  /// Has a function called by each thread that enters or leaves a scope: the check of memory's.
  package static func onChange(_ change: @escaping @Sendable () -> Void) {
    changes.withLock { $0 = change }
  }

  /// The calling thread has entered or left a scope.
  package static func noteChange() { changes.withLock { $0 }?() }
}
