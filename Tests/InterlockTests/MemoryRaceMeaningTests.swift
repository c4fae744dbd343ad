import Testing

@testable import Interlock

@Suite("What a race in memory means") struct MemoryRaceMeaningTests {
  private typealias Lock = MemoryRace.Lock

  private func race(_ first: [Lock], _ second: [Lock]) -> MemoryRace {
    func side(_ locks: [Lock]) -> MemoryRace.Side {
      var side = MemoryRace.Side(
        isWrite: true, address: 64, size: 8, place: StackFrame(address: 1))
      side.locks = locks
      return side
    }
    return MemoryRace(first: side(first), second: side(second))
  }

  @Test("The locks that both sides of a race hold say why it exists")
  func meanings() {
    let lock = Lock(object: "0x10")
    let other = Lock(object: "0x20")
    let read = Lock(object: "0x10", isShared: true)
    #expect(race([], []).meaning.hasPrefix("No lock, queue, task"))
    #expect(race([lock], []).meaning.hasPrefix("Only one of the two holds a lock"))
    #expect(race([], [lock]).meaning.hasPrefix("Only one of the two holds a lock"))
    #expect(
      race([lock], [other]).meaning == "Both hold a lock: they do not hold the same one.")
    let both = "Both hold the same lock for reading, which does not keep the other out."
    #expect(race([read], [read]).meaning == both)
    #expect(race([other, read], [read]).meaning == both)
    let address = "Both hold a lock at the same address, which did not keep them apart"
    #expect(race([lock], [lock]).meaning.hasPrefix(address))
    #expect(race([lock], [read]).meaning.hasPrefix(address))
    #expect(race([other, lock], [lock]).meaning.hasPrefix(address))
  }

  @Test("A race whose older side is not known any more does not say what that side held")
  func unknownSide() {
    var race = race([], [Lock(object: "0x10")])
    race.first.isKnown = false
    #expect(race.meaning.hasSuffix("what both held is not known any more."))
  }

  @Test("The line of a lock says that it is held for reading")
  func readLock() {
    let lines = race([Lock(object: "0x10", isShared: true)], []).first.lockLines
    #expect(lines == ["holds the lock at 0x10 for reading"])
  }

  @Test("A race of which one place is not known is not reported beside a race with the other place")
  func unknownPlace() {
    func place(_ name: String) -> StackFrame { StackFrame(address: 1, function: name) }
    let unknown = StackFrame(address: 0)
    var known = KnownMemoryRaces()
    func isNew(_ first: StackFrame, _ second: StackFrame) -> Bool {
      var race = race([], [])
      race.first.place = first
      race.second.place = second
      defer { known.insert(race) }
      return !known.contains(race)
    }
    #expect(isNew(unknown, place("Alone.add()")))
    #expect(isNew(place("Known.read()"), place("Known.add()")))
    #expect(!isNew(unknown, place("Known.add()")))
    #expect(!isNew(place("Known.read()"), unknown))
    #expect(isNew(place("Known.add()"), place("Known.remove()")))
  }

  @Test("A race is new to each scope, and to a single open scope only if the run has not had it")
  func scopes() {
    typealias Owners = MemoryRaceScopes.Owners
    var race = race([], [])
    race.first.place = StackFrame(address: 1, function: "Scoped.add()")
    race.second.place = race.first.place
    // No other test of this process opens scopes with these numbers.
    let (one, two, three) = (UInt.max, UInt.max - 1, UInt.max - 2)
    #expect(MemoryRaceScopes.isNew(race, for: Owners([one])) == Owners([one]))
    #expect(MemoryRaceScopes.isNew(race, for: Owners([one])) == nil)
    #expect(MemoryRaceScopes.isNew(race, for: Owners([one, two])) == Owners([two]))
    #expect(MemoryRaceScopes.isNew(race, for: Owners([], isOfRun: true)) != nil)
    #expect(MemoryRaceScopes.isNew(race, for: Owners([])) == nil)
    #expect(MemoryRaceScopes.isNew(race, for: Owners([three], isOnlyOne: true)) == nil)
    MemoryRaceScopes.noteEnd(of: one)
    #expect(MemoryRaceScopes.isNew(race, for: Owners([one])) == Owners([one]))
    for scope in [one, two, three] { MemoryRaceScopes.noteEnd(of: scope) }
  }
}
