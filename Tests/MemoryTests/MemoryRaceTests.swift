import Foundation
import Testing

/// The exit code of a program that raced.
private let raced: Int32 = 66

@Suite("Races in memory", .serialized) struct MemoryRaceTests {
  @Test(
    "Each racy program is found in every one of three runs, in C and in Swift",
    arguments: MemoryProgram.names.filter { $0.hasSuffix(".racy") })
  func findsRace(_ name: String) throws {
    for _ in 0..<3 {
      let run = try MemoryProgram(name)
      #expect(run.status == raced, "\(run.output)\(run.errors)")
      #expect(!run.races.isEmpty)
    }
  }

  @Test("A write that races with two reads is reported with both")
  func racesTwice() throws {
    #expect(try MemoryProgram("two_readers.racy").races.count == 2)
  }

  @Test(
    "A correct twin of a racy program is never reported",
    arguments: MemoryProgram.names.filter { $0.hasSuffix(".correct") })
  func reportsNoCorrectProgram(_ name: String) throws {
    for _ in 0..<3 {
      let run = try MemoryProgram(name)
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      #expect(run.output.hasSuffix("done\n"))
      #expect(!run.errors.contains("no longer") || name == "exhausted.correct", "\(run.errors)")
    }
  }

  @Test("There are racy and correct programs, and a run without the check reports no race")
  func reportsNothingWithoutCheck() throws {
    #expect(MemoryProgram.names.count > 50)
    #expect(try MemoryProgram("overlap.racy", check: "off").status == 0)
  }

  @Test("Both sides of a race name their accesses: a write of 8 bytes, and a read of the upper 4")
  func describesBothSides() throws {
    let race = try #require(try MemoryProgram("overlap.racy").races.first)
    #expect(race.contains("write 8 held 0 known"))
    #expect(race.contains("read 4 held 0 known"))
    #expect(!race.contains("frames 0"))
  }

  @Test(
    "Two accesses that code without the option may order are not decided, and the code is named",
    arguments: MemoryProgram.names.filter { $0.hasSuffix(".undecided") })
  func decidesNothingAboutPlainCode(_ name: String) throws {
    let run = try MemoryProgram(name, check: "meant")
    let expected =
      "Code that is compiled without '-sanitize=thread' ran in between and may order the two:"
      + " plain.c."
    #expect(!run.undecided.isEmpty, "\(run.output)\(run.errors)")
    #expect(run.undecided.allSatisfy { $0.hasSuffix(expected) }, "\(run.output)")
    #expect(run.races == [], "\(run.output)")
  }

  @Test(
    "A race is decided if code without the option runs, but cannot order the accesses",
    arguments: MemoryProgram.names.filter { $0.hasPrefix("plain_") && $0.hasSuffix(".racy") })
  func decidesRacesBesidePlainCode(_ name: String) throws {
    let run = try MemoryProgram(name, check: "meant")
    #expect(!run.races.isEmpty, "\(run.output)\(run.errors)")
    #expect(run.undecided == [], "\(run.output)")
  }

  @Test("Both sides of a race have their place, also if two threads write at the same time")
  func placesAtOnce() throws {
    let races = try MemoryProgram("at_once.racy").races
    #expect(!races.isEmpty)
    for race in races { #expect(!race.contains("frames 0"), "\(race)") }
  }

  @Test(
    "Two threads that hold different locks race, and each side has its lock",
    arguments: ["mutex.racy", "field_two_locks.racy", "swift_mutex_other.racy"])
  func tellsHeldLocks(_ name: String) throws {
    let races = try MemoryProgram(name).races
    #expect(!races.isEmpty)
    for race in races { #expect(!race.contains("held 0"), "\(race)") }
  }

  @Test("Two threads that hold one lock for reading race, and each side says so")
  func tellsReadLocks() throws {
    let race = try #require(try MemoryProgram("property_lock_read.racy").races.first)
    #expect(race.components(separatedBy: "held 1 for reading").count == 3, "\(race)")
  }

  @Test("Without memory for the shadow state, one line says that the check is off")
  func saysThatItIsOff() throws {
    let run = try MemoryProgram("exhausted.correct")
    #expect(
      run.errors == """
        interlock: races in memory are no longer looked for: there is no memory for the shadow

        """)
    #expect(run.status == 0)
  }
}
