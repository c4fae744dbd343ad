import Synchronization
import Testing

@testable import Interlock
@testable import SectionTable

/// The definition of a near miss, and the states of a pair of places.
struct NearMissTests {
  private let tables = DelayTables()!
  private let reader = PlaceNumber(bits: 2)
  private let writer = PlaceNumber(bits: 5)
  private let key = ResourceKey(number: 1 << 40)

  private func near(
    _ place: PlaceNumber, owner: UInt, at time: UInt, key: ResourceKey? = nil
  ) -> [PlaceNumber] {
    let key = key ?? self.key
    var found: [PlaceNumber] = []
    tables.note(
      RecentAccess(key: key, owner: owner, place: place, milliseconds: time), to: key, at: time
    ) { found.append($0) }
    return found
  }

  @Test("a writer within 100 ms of another owner's access is a near miss")
  func found() {
    #expect(near(reader, owner: 2, at: 1_000) == [])
    #expect(near(writer, owner: 4, at: 1_100) == [reader])
    #expect(near(reader, owner: 2, at: 1_200) == [writer])
    #expect(near(writer, owner: 6, at: 1_200).count == 2, "both of the others")
  }

  @Test("one owner alone, two readers, an old access and another resource are no near miss")
  func notFound() {
    #expect(near(writer, owner: 2, at: 0) == [])
    #expect(near(writer, owner: 2, at: 1) == [], "its own")
    #expect(near(reader, owner: 4, at: 102) == [], "101 ms later")
    #expect(near(reader, owner: 6, at: 103) == [], "two readers")
    #expect(near(writer, owner: 8, at: 103, key: ResourceKey(number: 2)) == [])
  }

  @Test("the clock of near misses wraps after 65 seconds, and recent accesses stay recent")
  func clock() {
    _ = near(reader, owner: 2, at: 65_530)
    #expect(near(writer, owner: 4, at: 65_540) == [reader])
  }

  @Test("a thread's access is recognised by place, resource and owner together")
  func visits() {
    #expect(MemoryLayout<NotedAccesses.Known>.stride == 64, "a cache line")
    let visits = NotedAccesses()
    let place = PlaceNumber(bits: 7)
    func visit(line: UInt = 1, key: UInt = 2, owner: UInt = 3) -> NotedAccesses.Access {
      NotedAccesses.Access(file: 0x1000, lineAndFlags: line, on: key, of: owner)
    }
    #expect(visits.known(visit()) == nil)
    visits.note(visit(), at: place, at: 4)
    #expect(visits.known(visit())?.pointee.place == place)
    for other in [
      visit(line: 2), visit(line: 1 | Entry.writesFlag), visit(key: 5), visit(owner: 5),
    ] {
      #expect(visits.known(other) == nil)
    }
    // An access with the same slot replaces it, and no other access does.
    for number in 0..<100 as Range<UInt> {
      visits.note(visit(owner: number), at: PlaceNumber(bits: number), at: 4)
      #expect(visits.known(visit(owner: number))?.pointee.place == PlaceNumber(bits: number))
    }
  }

  @Test(
    "an access that repeats within a tick does so a few times without reading the clock")
  func timesOfVisits() throws {
    let visits = NotedAccesses()
    let visit = NotedAccesses.Access(file: 0x1000, lineAndFlags: 1, on: 2, of: 3)
    var asked = 0
    /// The access repeats at `now`. Returns true if it was noted at the time assumed for it.
    func comes(at now: UInt) throws -> Bool {
      let known = try #require(visits.known(visit))
      let time = known.pointee.time {
        asked += 1
        return now
      }
      if !time.isNoted { visits.note(visit, at: PlaceNumber(bits: 7), at: time.now) }
      return time.isNoted
    }
    visits.note(visit, at: PlaceNumber(bits: 7), at: 4)
    // The access is noted anew in each millisecond, as long as it repeats in each.
    for now in 5..<50 as Range<UInt> { #expect(try !comes(at: now)) }
    #expect(asked == 45)
    // Several more accesses in one millisecond are noted, and read the clock each time.
    for _ in 0..<NotedAccesses.busy { #expect(try comes(at: 49)) }
    #expect(asked == 45 + Int(NotedAccesses.busy))
    // Then the access is busy, and no longer reads the clock at any time.
    for pass in 0..<UInt(NotedAccesses.passesAtOnce) { #expect(try comes(at: 60 + pass)) }
    #expect(asked == 45 + Int(NotedAccesses.busy))
    // After these passes it reads the clock again. It was late by no more than the passes, and is
    // no longer busy.
    #expect(try !comes(at: 70))
    #expect(try comes(at: 70))
    #expect(try !comes(at: 71))
    #expect(asked == 48 + Int(NotedAccesses.busy))
  }

  @Test("a busy access needs no further work if its place is in no armed pair, and only then")
  func passesOfVisits() throws {
    let visits = NotedAccesses()
    let visit = NotedAccesses.Access(file: 0x1000, lineAndFlags: 1, on: 2, of: 3)
    let armed = tables.words(of: writer).armedPairs
    func passes() throws -> Bool { try #require(visits.known(visit)).pointee.passes() }
    func keepComing(_ armedPairs: DelayTables.Words?) throws {
      visits.note(visit, at: writer, at: 4, armedPairs: armedPairs)
      #expect(try !passes())
      for _ in 0..<NotedAccesses.busy {
        let time = try #require(visits.known(visit)).pointee.time { 4 }
        #expect(time.isNoted)
      }
    }
    try keepComing(armed)
    for _ in 0..<NotedAccesses.passesAtOnce { #expect(try passes()) }
    #expect(try !passes(), "it asks for the time again")
    try keepComing(armed)
    armed.pointee.store(1, ordering: .relaxed)
    #expect(try !passes())
    armed.pointee.store(0, ordering: .relaxed)
    #expect(try passes())
    // With `nil`, the begin must check more than pairs, so the access does not pass.
    try keepComing(nil)
    #expect(try !passes())
  }

  @Test("a resource's last accesses outlive one owner's thousand")
  func kept() {
    _ = near(reader, owner: 2, at: 10)
    for _ in 0..<1_000 { _ = near(reader, owner: 4, at: 11) }
    #expect(near(writer, owner: 4, at: 12) == [reader])
  }

  @Test("a million resources take no more memory than one, and only the oldest are forgotten")
  func manyResources() {
    for number in 0..<1_000_000 as Range<UInt64> {
      _ = near(writer, owner: 2, at: 1, key: ResourceKey(number: number))
    }
    #expect(near(writer, owner: 4, at: 1, key: ResourceKey(number: 999_999)) == [writer])
    #expect(near(writer, owner: 4, at: 1, key: ResourceKey(number: 0)) == [])
  }

  @Test("places beyond the table's size are not followed")
  func manyPlaces() {
    var known = KnownPairs(DelaySettings(), tables)
    let numbers = (0..<3_000).map { line in
      known.number(of: TrapPlace(file: "a.swift", line: line, writes: line % 2 == 0), in: tables)
    }
    let followed = numbers.filter(\.isFollowed)
    #expect(followed.count == 2_047)
    #expect(Set(followed).count == 2_047)
    #expect(numbers.prefix(2_047).enumerated().allSatisfy { $1.writes == ($0 % 2 == 0) })
    // The places are found by their literals' addresses, even if their first slots were taken.
    for (index, number) in numbers.enumerated() {
      tables.set(number, of: DelayTables.Mark(file: 4_096, lineAndFlags: UInt(index)))
    }
    for (index, number) in numbers.enumerated() {
      let mark = DelayTables.Mark(file: 4_096, lineAndFlags: UInt(index))
      #expect(tables.number(of: mark) == number)
    }
  }

  @Test("pairs beyond the table's size are settled at once, without the lock")
  func manyPairs() {
    var known = KnownPairs(DelaySettings(), tables)
    let places = (0..<100).map { line in
      known.number(of: TrapPlace(file: "a.swift", line: line, writes: true), in: tables)
    }
    for one in places {
      for other in places { known.set(.armed, of: PlacePair(one, other), in: tables) }
    }
    #expect(known.counts.armed <= DelayTables.mostPairs)
    #expect(known.counts.armed > DelayTables.mostPairs / 2)
    for one in places {
      for other in places { #expect(tables.isSettled(PlacePair(one, other))) }
    }
  }

  @Test("three delays that blocked another thread drop a pair; one delay counts once")
  func dropped() {
    var known = KnownPairs(DelaySettings(), tables)
    let pair = PlacePair(reader, writer)
    known.set(.armed, of: pair, in: tables)
    #expect(tables.words(of: reader).armedPairs.pointee.load(ordering: .relaxed) == 1)
    for delay in [1, 1, 1, 2, 2] as [UInt] { known.prove(pair, by: delay, in: tables) }
    #expect(known.counts.armed == 1)
    known.prove(pair, by: 3, in: tables)
    #expect(known.counts.dropped == 1)
    #expect(tables.words(of: reader).armedPairs.pointee.load(ordering: .relaxed) == 0)
    #expect(tables.words(of: writer).armedPairs.pointee.load(ordering: .relaxed) == 0)
    known.set(.armed, of: pair, in: tables)
    #expect(known.counts.dropped == 1, "a dropped pair is not armed again")
  }

  @Test("a pair that has overlapped counts as found, whatever its state was, and is never dropped")
  func met() {
    var known = KnownPairs(DelaySettings(), tables)
    let pair = PlacePair(writer, writer)
    known.set(.dropped, of: pair, in: tables)
    let isNew = [0, 1].map { _ in known.set(.found, of: pair, in: tables) }
    #expect(isNew == [true, false])
    for delay in 1...5 as ClosedRange<UInt> { known.prove(pair, by: delay, in: tables) }
    #expect(known.counts == counts(found: 1))
  }

  private func counts(found: Int) -> SectionTracking.DelayCounts {
    var counts = SectionTracking.DelayCounts()
    counts.found = found
    return counts
  }
}
