import Testing

@testable import Interlock
@testable import SectionTable

/// The evidence that a reader finds of a section whose owner ends it during the read.
struct EvidenceTests {
  init() { Findings.collect() }

  /// The evidence of a section that another thread reads by the word in the section's slot.
  private static func read(_ open: Registry.OpenSection, key: ResourceKey? = nil) -> Evidence? {
    // Unsafe: the table's memory is never freed, and the thread is joined.
    nonisolated(unsafe) let open = open
    let found = Guarded<Evidence?>(nil)
    onThread {
      let evidence = Evidence.read(
        open.word, in: open.slot, key: key ?? open.key, owner: ThreadContext.current.currentOwner)
      found.withLock { $0 = evidence }
    }
    return found.withLock { $0 }
  }

  private static func begin(_ section: Section) throws -> Registry.OpenSection {
    try #require(
      Registry.begin(
        section.resource, writes: true, synched: true, at: Site("Module/File.swift", "f()", 12)))
  }

  @Test("an ended section is read in full until its record is reused, and then only as ended")
  func ended() throws {
    let section = Section("evidence.ended")
    let filler = Section("evidence.filler")
    let open = try Self.begin(section)
    let place = Place(file: "Module/File.swift", line: 12, function: "f()")
    #expect(Self.read(open)?.place == place)
    #expect(Registry.end(open))
    let ended = try #require(Self.read(open))
    #expect(ended.place == place)
    #expect(ended.synched)
    #expect(ended.addresses.count > 1)

    for _ in 0..<ThreadContext.recordCount { filler.read {} }
    let gone = try #require(Self.read(open))
    #expect(gone.place.function == "a section that has just ended")
    #expect(gone.place.line == 0)
    #expect(gone.mode == .noReadWrite)
    #expect(gone.addresses.isEmpty)
  }

  @Test(
    "another resource with the same part of a key, and the reader's own section, are no conflict")
  func noConflict() throws {
    let open = try Self.begin(Section("evidence.own"))
    #expect(Self.read(open, key: ResourceKey(hash: open.key.hash ^ 1 << 20)) == nil)
    let own = Evidence.read(
      open.word, in: open.slot, key: open.key, owner: ThreadContext.current.currentOwner)
    #expect(own == nil)
    #expect(Registry.end(open))
  }

  @Test("an overlap that both sides see is counted once, and so is the pair's next overlap")
  func meetings() {
    func side(_ context: UInt, _ generation: UInt) -> Evidence {
      var side = Evidence(
        goneBehind: SlotWord(bits: 1), key: ResourceKey(hash: 1))
      side.identity = .init(context: context, generation: generation)
      side.place = Place(file: "A", line: Int(context), function: "f()")
      return side
    }
    func meeting(_ first: Evidence, _ second: Evidence) -> Overlap {
      Overlap(resource: "evidence.meetings", instance: nil, first: first, second: second)
    }
    let log = ConflictLog()
    log.add(meeting(side(1, 1), side(2, 1)))
    log.add(meeting(side(2, 1), side(1, 1)))
    #expect(log.conflicts.map(\.count) == [1])
    log.add(meeting(side(2, 1), side(1, 2)))
    #expect(log.conflicts.map(\.count) == [2])
    log.add(meeting(side(3, 1), side(1, 2)))
    #expect(log.conflicts.map(\.count) == [2, 1], "another pair of places")
  }
}
