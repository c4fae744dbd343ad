import Interlock
import InterlockTestsC
import Testing

/// Marks in C, which use the same registry as Swift's.
struct CSectionTests {
  init() { Findings.collect() }

  @Test("a C writer and a Swift reader conflict, both with their places")
  func conflict() throws {
    c_begin_write("c.shared")
    onThread {
      BEGIN_LOCK(.noWrite, "c.shared")
      END_LOCK(.noWrite, "c.shared")
    }
    c_end_write("c.shared")
    let found = try #require(Findings.conflicts(on: "c.shared").first)
    #expect(found.first.place.file.hasSuffix("marks.c"))
    #expect(found.first.place.function == "c_begin_write")
    #expect(found.first.stack.first?.function == "c_begin_write")
    #expect(found.second.place.file == "InterlockTests/CSectionTests.swift")
  }

  @Test("a name is a printf format with its arguments, or stands alone")
  func formats() {
    c_begin_read_of("c.users", 7)
    c_begin_plain_read()
    onThread {
      BEGIN_LOCK(.noReadWrite, "c.users.7")
      END_LOCK(.noReadWrite, "c.users.7")
      BEGIN_LOCK(.noReadWrite, "c.plain")
      END_LOCK(.noReadWrite, "c.plain")
      BEGIN_LOCK(.noReadWrite, "c.users.8")
      END_LOCK(.noReadWrite, "c.users.8")
    }
    c_end_read_of("c.users", 7)
    c_end_plain_read()
    #expect(Findings.conflicts(on: "c.users.7").count == 1)
    #expect(Findings.conflicts(on: "c.plain").count == 1)
    #expect(Findings.conflicts(on: "c.users.8").isEmpty)
    for name in ["c.users.7", "c.plain"] {
      #expect(Findings.misuses(on: name).isEmpty, "its end has the name of its begin")
    }
  }

  @Test("a name longer than any buffer is still one name")
  func longName() {
    let name = String(repeating: "long.", count: 200)
    c_begin_write(name)
    onThread {
      BEGIN_LOCK(.noWrite, name)
      END_LOCK(.noWrite, name)
    }
    c_end_write(name)
    #expect(Findings.conflicts(on: name).count == 1)
    #expect(Findings.misuses(on: name).isEmpty)
  }

  @Test("a synched section in C is reported as synched")
  func synched() {
    c_begin_synched_write("c.synched")
    onThread {
      BEGIN_SYNCHED_LOCK(.noWrite, "c.synched")
      END_LOCK(.noWrite, "c.synched")
    }
    c_end_write("c.synched")
    #expect(
      Findings.conflicts(on: "c.synched").first?.meaning
        == "Both claim a lock: they are not holding the same one.")
  }

  @Test("in production the marks are removed, and their names are not evaluated")
  func production() {
    #expect(c_production_marks() == 0)
    #expect(Findings.misuses(on: "production.1").isEmpty)
  }
}
