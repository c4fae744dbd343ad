import Testing

@testable import Interlock
@testable import SectionTable

/// The text of a trap file, which one run leaves for the next.
struct TrapFileTests {
  private let write = TrapPlace(file: "App/My Cache.swift", line: 12, writes: true)
  private let read = TrapPlace(file: "c:/x.c", line: 3, writes: false)

  private var file: TrapFile {
    TrapFile(
      build: "1-2.3",
      pairs: [
        TrapFile.Pair(write, read, scope: ""): .armed,
        TrapFile.Pair(write, write, scope: "mutex"): .dropped,
        TrapFile.Pair(write, read, scope: "unlocked"): .found,
      ])
  }

  @Test("a trap file has a line with version and build, and a sorted line for each pair")
  func text() {
    #expect(
      file.text == """
        interlock-traps 1 1-2.3
        armed\tread c:/x.c:3\twrite App/My Cache.swift:12\t
        dropped\twrite App/My Cache.swift:12\twrite App/My Cache.swift:12\tmutex
        found\tread c:/x.c:3\twrite App/My Cache.swift:12\tunlocked

        """)
  }

  @Test("a written trap file is read again")
  func roundTrip() {
    #expect(TrapFile.parse(file.text, build: "1-2.3") == .success(file))
    let empty = TrapFile(build: "b")
    #expect(TrapFile.parse(empty.text, build: "b") == .success(empty))
  }

  @Test("a trap file leaves out a place that a line cannot hold")
  func unwritable() {
    let odd = TrapPlace(file: "a\tb", line: 1, writes: true)
    let file = TrapFile(build: "b", pairs: [TrapFile.Pair(odd, odd, scope: ""): .armed])
    #expect(TrapFile.parse(file.text, build: "b") == .success(TrapFile(build: "b")))
  }

  @Test(
    "a trap file that cannot be used has a problem that names the reason",
    arguments: [
      ("#!/bin/sh\n", .foreign), ("\u{0}\u{1}\u{7F}", .foreign), ("interlock-traps", .foreign),
      ("interlock-traps 2 b\n", .otherVersion("2")), ("interlock-traps 1 c\n", .otherBuild),
      ("interlock-traps 1 \n", .otherBuild), ("interlock-traps 1 b c\n", .otherBuild),
      ("interlock-traps 1 b", .broken(line: 2)),
      ("interlock-traps 1 b\narmed\twrite a:1\tread b:2\t", .broken(line: 2)),
      ("interlock-traps 1 b\narmed\twrite a:1\tread b:2\n", .broken(line: 2)),
      ("interlock-traps 1 b\nsprung\twrite a:1\tread b:2\t\n", .broken(line: 2)),
      ("interlock-traps 1 b\narmed\tread a:1\tread b:2\t\n", .broken(line: 2)),
      ("interlock-traps 1 b\narmed\twrite a:1\tread b:-2\t\n", .broken(line: 2)),
      ("interlock-traps 1 b\narmed\twrite a:1\tread b:99999999999\t\n", .broken(line: 2)),
      ("interlock-traps 1 b\narmed\twrite a:1\tread :2\t\n", .broken(line: 2)),
      ("interlock-traps 1 b\narmed\twrite a:1\tread b:2\t\n\n", .broken(line: 3)),
    ] as [(String, TrapFile.Problem)])
  func problems(text: String, problem: TrapFile.Problem) {
    #expect(TrapFile.parse(text, build: "b") == .failure(problem))
    #expect(!problem.text.contains("\n"))
  }

  @Test("in merged trap files an overlap outranks an order, and an order outranks a near miss")
  func merge() {
    let pair = TrapFile.Pair(write, read, scope: "")
    func file(_ state: PairState) -> TrapFile { TrapFile(build: "b", pairs: [pair: state]) }
    for (one, other, kept) in [
      (.armed, .dropped, .dropped), (.dropped, .found, .found), (.armed, .found, .found),
    ] as [(PairState, PairState, PairState)] {
      for (mine, there) in [(one, other), (other, one)] {
        var merged = file(mine)
        merged.merge(file(there))
        #expect(merged == file(kept))
      }
    }
    var merged = self.file
    merged.merge(file(.armed))
    #expect(merged.pairs.count == 3)
  }
}
