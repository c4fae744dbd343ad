import Dispatch
import Testing

@testable import Interlock
@testable import SectionTable

/// An end at the wrong time, by the wrong owner or twice does not affect other sections.
struct WrongEndTests {
  init() { Findings.collect() }

  @Test("an extra end beside the right end neither frees twice nor ends a later section")
  func concurrentEnds() {
    let name = "wrong-end.\("computed")"
    let start = Barrier(parties: 3)
    let begun = Barrier(parties: 3)
    let ended = Barrier(parties: 3)
    let owner = JoinableThread {
      // Deterministic: other threads end the open section at the same time.
      BEGIN_LOCK(.noWrite, name)
      begun.wait()
      ended.wait()
      END_LOCK(.noWrite, name)
      start.wait()
      for _ in 0..<3_000 {
        BEGIN_LOCK(.noWrite, name)
        END_LOCK(.noWrite, name)
      }
    }
    let intruders = (0..<2).map { _ in
      JoinableThread {
        begun.wait()
        END_LOCK(.noWrite, name)
        ended.wait()
        start.wait()
        for _ in 0..<3_000 { END_LOCK(.noWrite, name) }
      }
    }
    owner.join()
    for intruder in intruders { intruder.join() }
    BEGIN_LOCK(.noReadWrite, name)
    END_LOCK(.noReadWrite, name)
    #expect(Findings.conflicts(on: name).isEmpty, "nothing was left open")
    let kinds = Set(Findings.misuses(on: name).map(\.kind))
    #expect(kinds == [.endByAnotherOwner, .endWithoutBegin])
  }

  @Test("the second of two ends of a section does nothing, also to the next section in its slot")
  func endedTwice() throws {
    let section = Section("wrong-end.twice")
    func begin() throws -> Registry.OpenSection {
      try #require(
        Registry.begin(
          section.resource, writes: true, synched: false, at: Site(#fileID, #function, #line)))
    }
    let first = try begin()
    #expect(Registry.end(first))
    // The second section is in the same slot, unless another test's section has just taken it.
    let second = try begin()
    #expect(!Registry.end(first))
    onThread { section.read {} }
    #expect(Findings.conflicts(on: "wrong-end.twice").count == 1, "the second is still open")
    #expect(Registry.end(second))
  }

  @Test("a block whose section another thread ended does not end the next section in its slot")
  func stolenSlot() {
    let section = Section("wrong-end.stolen")
    let inside = Gate()
    let leaveBlock = Gate()
    let block = JoinableThread {
      section.read {
        inside.open()
        leaveBlock.pass()
      }
    }
    inside.pass()
    onThread { section.end(.noWrite) }
    #expect(Findings.misuses(on: "wrong-end.stolen").map(\.kind) == [.endByAnotherOwner])

    section.begin(.noReadWrite)
    leaveBlock.open()
    block.join()
    #expect(
      Findings.misuses(on: "wrong-end.stolen").map(\.kind) == [
        .endByAnotherOwner, .endWithoutBegin,
      ])
    onThread { section.write {} }
    section.end(.noReadWrite)
    #expect(Findings.conflicts(on: "wrong-end.stolen").count == 1)
  }

  @Test("an end inside a block ends the block's section, and the block's own end reports this")
  func endInBlock() {
    let section = Section("wrong-end.block")
    section.read { section.end(.noWrite) }
    #expect(Findings.misuses(on: "wrong-end.block").map(\.kind) == [.endWithoutBegin])
    // Likewise for a block that returns a value.
    let value = section.write {
      section.end(.noReadWrite)
      return 1
    }
    #expect(value == 1)
    #expect(
      Findings.misuses(on: "wrong-end.block").map(\.kind) == [.endWithoutBegin, .endWithoutBegin])
  }

  @Test("an end ends the innermost section, wherever its record lies")
  func innermostBeyondOneHome() throws {
    let section = Section("wrong-end.order")
    let filler = Section("wrong-end.filler")
    onThread {
      section.begin(.noWrite)
      for _ in 0..<ThreadContext.recordCount { filler.begin(.noWrite) }
      section.begin(.noWrite, synched: true)
      section.end(.noWrite)
      onThread { section.write {} }
      section.end(.noWrite)
      for _ in 0..<ThreadContext.recordCount { filler.end(.noWrite) }
    }
    let conflict = try #require(Findings.conflicts(on: "wrong-end.order").first)
    #expect(!conflict.first.synched, "the inner one, synched, was ended; the outer one is open")
    #expect(Findings.misuses(on: "wrong-end.filler").isEmpty)
  }

  @Test("any number of computed names leaves queue labels in reports intact")
  func labels() throws {
    for number in 0..<5_000 { _ = Section("wrong-end.name.\(number)") }
    let section = Section("wrong-end.labels")
    section.begin(.noReadWrite)
    onThread { DispatchQueue(label: "wrong-end.queue").sync { section.read {} } }
    section.end(.noReadWrite)
    let conflict = try #require(Findings.conflicts(on: "wrong-end.labels").first)
    #expect(conflict.second.queue == "wrong-end.queue")
  }
}
