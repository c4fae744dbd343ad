import Foundation
import Testing

@testable import Interlock

/// The trap file of a process: reading at its start, and writing at its end. Each test runs in a
/// separate process.
struct TrapStoreTests {
  /// Runs a process in which two threads pass two places of one section, one after the other.
  private func run(
    _ path: String, scope: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) async -> String {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent],
      sourceLocation: sourceLocation
    ) { [path, scope] in
      let section = Section("traps.run")
      // Set before the first access, so that no near miss precedes the read of the trap file.
      setenv("INTERLOCK_OPTIONS", "on_conflict=record delays=on traps=\(path)", 1)
      if !scope.isEmpty { SectionTracking.startDelays(seed: 1, trapFile: path, scope: scope) }
      onThread { section.read(line: 10) {} }
      writeLine("armed at first: \(SectionTracking.delayCounts.armed)")
      onThread { section.write(line: 20) {} }
      // A busy machine may separate the two by more than the window of a near miss, so repeat them;
      // on a new resource each time, because two writes of one resource might be a near miss too.
      while SectionTracking.delayCounts.armed == 0 {
        let section = Section("traps.run")
        onThread { section.read(line: 10) {} }
        onThread { section.write(line: 20) {} }
      }
      exit(EXIT_SUCCESS)
    }
    return String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  private let line =
    "armed\tread InterlockTests/TrapStoreTests.swift:10"
    + "\twrite InterlockTests/TrapStoreTests.swift:20\t"

  @Test("a run leaves its pairs in the trap file, and the next run begins with them")
  func roundTrip() async throws {
    let traps = try TrapFolder()
    #expect(await run(traps.path) == "armed at first: 0\n")
    let text = traps.text
    #expect(traps.lines == [line])
    #expect(text?.hasPrefix("interlock-traps 1 ") == true)
    #expect(await run(traps.path) == "armed at first: 1\n")
    #expect(traps.text == text, "nothing new, nothing written")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: traps.folder) == ["traps"],
      "no temporary file is left")
  }

  @Test("each subject of a stress run has its own pairs, and keeps those of the others")
  func scopes() async throws {
    let traps = try TrapFolder()
    _ = await run(traps.path, scope: "one")
    #expect(await run(traps.path, scope: "two").contains("armed at first: 0"))
    #expect(traps.lines == [line + "one", line + "two"])
  }

  @Test(
    "a trap file that is foreign, broken or of another build is a line, and is rebuilt",
    arguments: [
      ("Dear diary,\n", "is not a trap file"),
      ("interlock-traps 9 x\n", "has format version 9, and this is version 1"),
      ("interlock-traps 1 12-34.56\n", "is of another build"),
      ("BUILD\nnonsense\n", "is broken in line 2"),
      ("BUILD\narmed\twrite a:1\twri", "is broken in line 2"),
    ])
  func rebuilt(text: String, problem: String) async throws {
    let traps = try TrapFolder()
    _ = await run(traps.path)
    let good = try #require(traps.text)
    let heading = try #require(good.split(separator: "\n").first)
    try text.replacing("BUILD", with: heading).write(
      toFile: traps.path, atomically: true, encoding: .utf8)
    #expect(
      await run(traps.path)
        == "interlock: traps: '\(traps.path)' \(problem); it is rebuilt\narmed at first: 0\n")
    #expect(traps.text == good)
  }

  @Test("an empty trap file is a new trap file")
  func empty() async throws {
    let traps = try TrapFolder()
    try "".write(toFile: traps.path, atomically: true, encoding: .utf8)
    #expect(await run(traps.path) == "armed at first: 0\n")
    #expect(traps.text?.contains(line) == true)
  }

  @Test("a trap file that cannot be read or written is one line, and the run continues")
  func unwritable() async throws {
    let traps = try TrapFolder()
    try FileManager.default.createDirectory(
      atPath: traps.path, withIntermediateDirectories: false)
    #expect(
      await run(traps.path) == """
        interlock: traps: '\(traps.path)' could not be read (not a file); it is rebuilt
        armed at first: 0

        """)
    let nowhere = traps.folder + "/no/such/folder"
    #expect(
      await run(nowhere) == """
        armed at first: 0
        interlock: traps: '\(nowhere)' could not be written (No such file or directory)

        """)
  }

  @Test("the trap file has a conflict before the process traps, and the next run tries it first")
  func found() async throws {
    let traps = try TrapFolder()
    await #expect(processExitsWith: .failure) { [path = traps.path as String] in
      setenv("INTERLOCK_OPTIONS", "delays=on traps=\(path)", 1)
      let section = Section("traps.found")
      section.begin(.noWrite, line: 10)
      onThread { section.write(line: 20) {} }
    }
    #expect(traps.text?.contains(line.replacing("armed", with: "found")) == true)
    #expect(await run(traps.path) == "armed at first: 1\n")
    #expect(
      traps.text?.contains(line.replacing("armed", with: "found")) == true,
      "it stays one that has met")
  }

  @Test("runs that write at the same time leave a trap file that is whole")
  func together() async throws {
    let traps = try TrapFolder()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<6 {
        let path = traps.path
        group.addTask { _ = await run(path, scope: "subject-\(number)") }
      }
    }
    // The next process reads the file without a message, and finds lost pairs again.
    #expect(await run(traps.path, scope: "last").contains("interlock:") == false)
    #expect(traps.text?.contains(line + "last") == true)
  }
}
