import Interlock
import InterlockTestsC
import Testing

/// A key with the same hash for all values.
private struct Colliding: Hashable, Sendable {
  var value: Int
  func hash(into hasher: inout Hasher) { hasher.combine(0) }
}

/// A key that counts its `deinit`.
private final class CountedKey: Hashable, Sendable {
  private let ended: Counter
  init(_ ended: Counter) { self.ended = ended }
  deinit { ended.add() }
  static func == (left: CountedKey, right: CountedKey) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The conflicts of sections on parts, and their report.
struct PartTests {
  init() { Findings.collect() }

  @Test("two writers in different parts do not conflict, and two writers in equal parts do")
  func keys() {
    let section = Section("parts.keys")
    section.begin(.noReadWrite, part: "a")
    onThread { section.write("b") {} }
    onThread { section.write(1) {} }
    #expect(Findings.conflicts(on: "parts.keys").isEmpty)
    onThread { section.write("a") {} }
    section.end(.noReadWrite, part: "a")
    #expect(Findings.conflicts(on: "parts.keys").count == 1)
    #expect(Findings.misuses(on: "parts.keys").isEmpty)
  }

  @Test(
    "the whole conflicts with any part unless both read, whichever comes first",
    arguments: [Mode.noWrite, .noReadWrite], [Mode.noWrite, .noReadWrite])
  func whole(part: Mode, whole: Mode) {
    let name = "parts.whole.\(part).\(whole)"
    let section = Section(name)
    section.begin(part, part: 7)
    onThread {
      section.begin(whole)
      section.end(whole)
    }
    section.end(part, part: 7)
    let expected = part.writes || whole.writes ? 1 : 0
    #expect(Findings.conflicts(on: name).count == expected)
    let other = Section(name + ".later")
    other.begin(whole)
    onThread {
      other.begin(part, part: 7)
      other.end(part, part: 7)
    }
    other.end(whole)
    #expect(Findings.conflicts(on: name + ".later").count == expected)
  }

  @Test("parts with equal hashes are distinguished by their values")
  func collisions() {
    let section = Section("parts.collisions")
    section.begin(.noReadWrite, part: Colliding(value: 1))
    onThread { section.write(Colliding(value: 2)) {} }
    #expect(Findings.conflicts(on: "parts.collisions").isEmpty)
    onThread { section.write(Colliding(value: 1)) {} }
    section.end(.noReadWrite, part: Colliding(value: 1))
    #expect(Findings.conflicts(on: "parts.collisions").count == 1)
  }

  @Test("an owner nests parts in parts and in the whole, and readers of a part are together")
  func nesting() {
    let section = Section("parts.nesting")
    section.write { section.write("a") { section.write("a") { section.read("b") {} } } }
    section.begin(.noWrite, part: "a")
    onThread { section.read("a") {} }
    onThread { section.write("b") {} }
    section.end(.noWrite, part: "a")
    #expect(Findings.conflicts(on: "parts.nesting").isEmpty)
  }

  @Test("a report names the part of each side, beside the resource and in both sides")
  func report() throws {
    let section = Section("parts.report")
    section.begin(.noReadWrite, part: "key one")
    onThread { section.write("key one", synched: true) {} }
    section.end(.noReadWrite, part: "key one")
    let found = try #require(Findings.conflicts(on: "parts.report").first)
    #expect(found.first.part == "key one")
    #expect(found.second.part == "key one")
    #expect(found.part == "key one")
    let text = found.description
    #expect(text.contains(/^interlock: conflict on 'parts\.report #\d+ \[key one\]'\n/))
    #expect(text.contains("first, in the section: write [key one]  InterlockTests"))
    #expect(text.contains("second, at its begin: write [key one], synched  InterlockTests"))
    #expect(found.first.stack.count <= 12)

    let mixed = Section("parts.mixed")
    mixed.begin(.noWrite)
    onThread { mixed.write(42) {} }
    mixed.end(.noWrite)
    let meeting = try #require(Findings.conflicts(on: "parts.mixed").first)
    #expect(meeting.first.part == nil)
    #expect(meeting.second.part == "42")
    #expect(meeting.description.contains(/conflict on 'parts\.mixed #\d+ \[42\]'/))
  }

  @Test("the article's spelling and C have parts too; equal strings of C and Swift are one part")
  func spellings() {
    let id = 3
    BEGIN_SYNCHED_LOCK(.noReadWrite, "parts.spelled", part: "k")
    BEGIN_LOCK(.noReadWrite, "parts.computed.\(id)", part: "k")
    onThread {
      c_begin_part_write("other", "parts.spelled")
      c_end_part_write("other", "parts.spelled")
    }
    #expect(Findings.conflicts(on: "parts.spelled").isEmpty)
    onThread {
      c_begin_part_write("k", "parts.spelled")
      c_end_part_write("k", "parts.spelled")
      BEGIN_LOCK(.noWrite, "parts.computed.\(id)", part: "k")
      END_LOCK(.noWrite, "parts.computed.\(id)", part: "k")
    }
    END_LOCK(.noReadWrite, "parts.computed.\(id)", part: "k")
    END_LOCK(.noReadWrite, "parts.spelled", part: "k")
    #expect(
      Findings.conflicts(on: "parts.spelled").first?.second.place.function == "c_begin_part_write")
    #expect(Findings.conflicts(on: "parts.computed.3").count == 1)
    for name in ["parts.spelled", "parts.computed.3"] {
      #expect(Findings.misuses(on: name).isEmpty)
    }
    c_begin_synched_part_write("x")
    onThread {
      BEGIN_LOCK(.noWrite, "c.parts.plain"); END_LOCK(.noWrite, "c.parts.plain")
    }
    c_end_plain_part_write("x")
    #expect(Findings.conflicts(on: "c.parts.plain").first?.first.synched == true)
  }

  @Test("an end on another part is a misuse that names the part, and ends nothing")
  func wrongEnd() {
    let section = Section("parts.wrong")
    section.begin(.noReadWrite, part: "a")
    section.end(.noReadWrite, part: "b")
    section.end(.noReadWrite)
    #expect(
      Findings.misuses(on: "parts.wrong").map(\.kind) == [.endWithoutBegin, .endWithoutBegin])
    #expect(Findings.misuses(on: "parts.wrong").map(\.part) == ["b", nil])
    section.end(.noWrite, part: "a")
    #expect(Findings.misuses(on: "parts.wrong").last?.kind == .endInAnotherMode)
    onThread { section.write {} }
    #expect(Findings.conflicts(on: "parts.wrong").isEmpty, "it has been ended")
  }

  @Test("an end by another owner ends the section on that part, not on another")
  func anothersEnd() {
    let section = Section("parts.another")
    section.begin(.noReadWrite, part: "a")
    section.begin(.noReadWrite, part: "b")
    onThread { section.end(.noReadWrite, part: "b") }
    #expect(Findings.misuses(on: "parts.another").map(\.kind) == [.endByAnotherOwner])
    #expect(Findings.misuses(on: "parts.another").first?.part == "b")
    onThread { section.write("b") {} }
    #expect(Findings.conflicts(on: "parts.another").isEmpty)
    section.end(.noReadWrite, part: "a")
    #expect(Findings.misuses(on: "parts.another").count == 1)
  }

  @Test("a part is kept as long as its section is open, and no longer")
  func memory() {
    let ended = Counter()
    let section = Section("parts.memory")
    for _ in 0..<100 {
      let key = CountedKey(ended)
      section.begin(.noReadWrite, part: key)
      section.end(.noReadWrite, part: key)
    }
    #expect(ended.value == 100)
    section.begin(.noWrite, part: CountedKey(ended))
    #expect(ended.value == 100)
  }

  @Test("a task's section on a part belongs to the task on every thread")
  func tasks() async {
    let section = Section("parts.tasks")
    let threads = FreshThreads(stay: true)
    await Task(executorPreference: threads) {
      await section.write("a") {
        await threads.changeThread()
        section.write("a") {}
        onThread { section.read("a") {} }
        onThread { section.read("b") {} }
      }
    }.value
    threads.finish()
    #expect(Findings.conflicts(on: "parts.tasks").count == 1)
    #expect(Findings.misuses(on: "parts.tasks").isEmpty)
  }
}
