import Foundation
import InterlockTestsC
import Synchronization
import Testing

@testable import Interlock

/// A number that a test's sections read and write.
private final class Version: Sendable {
  private let number = Atomic(0)
  // Relaxed: the tests order the accesses themselves.
  var value: Int { number.load(ordering: .relaxed) }
  func raise() { number.wrappingAdd(1, ordering: .relaxed) }
}

/// Reading sections with a witness: changes that must be found, and changes that must not.
struct WitnessTests {
  init() { Findings.collect() }

  @Test("a change by C code without marks is reported with both values, place and stack")
  func unmarked() throws {
    let section = Section("witness.unmarked")
    let before = c_unmarked_value()
    let line = UInt(#line) + 1
    section.read(witness: c_unmarked_value()) { onThread { c_change_unmarked_value() } }
    let found = try #require(Findings.conflicts(on: "witness.unmarked").first)
    #expect(found.witness == .init(before: "\(before)", after: "\(before + 1)"))
    #expect(found.first.place.line == Int(line))
    #expect(found.first.stack.contains { $0.function?.contains("unmarked") == true })
    #expect(found.second.place.line == 0)
    let text = found.description
    #expect(text.contains(": changed by unmarked code\n  in the section: read  "))
    #expect(text.contains("before: \(before)\n  after:  \(before + 1)\n"))
    #expect(!text.contains("second, at its begin"))
  }

  @Test("a marked writer after a witness is reported as a conflict only")
  func marked() {
    let section = Section("witness.marked")
    let version = Version()
    section.read(witness: version.value) { onThread { section.write { version.raise() } } }
    section.read(witness: version.value) { onThread { section.write("part") { version.raise() } } }
    let found = Findings.conflicts(on: "witness.marked")
    #expect(found.count == 2)
    #expect(found.allSatisfy { $0.witness == nil })
  }

  @Test("a marked writer before a witness is reported as a conflict only")
  func markedFirst() {
    let section = Section("witness.first")
    let version = Version()
    section.begin(.noReadWrite)
    onThread { section.read(witness: version.value) { version.raise() } }
    section.end(.noReadWrite)
    #expect(Findings.conflicts(on: "witness.first").map(\.witness) == [nil])
  }

  @Test("an owner's own write, in the whole or a part, is not reported as unmarked code")
  func own() {
    let section = Section("witness.own")
    let version = Version()
    section.read(witness: version.value) { section.write { version.raise() } }
    section.read(witness: version.value) { section.write(1) { version.raise() } }
    section.write { section.read(witness: version.value) { version.raise() } }
    section.write(1) { section.read(witness: version.value) { version.raise() } }
    #expect(Findings.conflicts(on: "witness.own").isEmpty)
  }

  @Test("a change under an owner's own read, or beside its own write elsewhere, is reported")
  func notOwn() {
    let section = Section("witness.not-own")
    let other = Section("witness.not-own.other")
    let version = Version()
    section.read { section.read(witness: version.value) { version.raise() } }
    other.write { section.read(witness: version.value) { version.raise() } }
    #expect(Findings.conflicts(on: "witness.not-own").count == 2)
  }

  @Test("a marked writer of another resource does not hide a change from a witness")
  func elsewhere() {
    let section = Section("witness.elsewhere")
    let other = Section("witness.elsewhere.other")
    let version = Version()
    section.read(witness: version.value) { onThread { other.write { version.raise() } } }
    #expect(Findings.conflicts(on: "witness.elsewhere").count == 1)
  }

  @Test("a witness finds a file that another process writes, by its size and by its time")
  func file() throws {
    let folder = try TrapFolder()
    let section = Section("witness.file")
    for (number, command) in ["echo more >> ", "touch -d '2001-01-01 00:00:00' ", "rm "]
      .enumerated()
    {
      try "first".write(toFile: folder.path, atomically: false, encoding: .utf8)
      section.read(witness: FileState(of: folder.path), line: UInt(number + 1)) {
        let shell = Foundation.Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", command + folder.path]
        try? shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
      }
    }
    let found = Findings.conflicts(on: "witness.file").compactMap(\.witness)
    #expect(found.count == 3)
    #expect(found.allSatisfy { $0.before.hasPrefix("5 bytes, changed at ") })
    #expect(found.first?.after.hasPrefix("10 bytes, changed at ") == true)
    #expect(found.dropFirst().first?.after.contains("changed at 978") == true)
    #expect(found.last?.after == "no file")
  }

  @Test("the section's result and error are passed on, and a change is found if the body throws")
  func results() throws {
    struct Failure: Error {}
    let section = Section("witness.results")
    let version = Version()
    #expect(section.read(witness: version.value) { 5 } == 5)
    #expect(throws: Failure.self) {
      try section.read(witness: version.value) { () throws(Failure) in
        version.raise()
        throw Failure()
      }
    }
    #expect(Findings.conflicts(on: "witness.results").count == 1)
  }

  @Test("a section of a task has a witness across its suspensions")
  func suspended() async {
    let section = Section("witness.suspended")
    let version = Version()
    await section.read(witness: version.value) { await Task.yield() }
    #expect(Findings.conflicts(on: "witness.suspended").isEmpty)
    await section.read(witness: version.value) { await Task { version.raise() }.value }
    #expect(Findings.conflicts(on: "witness.suspended").count == 1)
  }
}

/// Witnesses under contention, and in separate processes.
struct WitnessRunTests {
  init() { Findings.collect() }

  @Test("readers and marked writers under a lock never report, 40,000 sections of four threads")
  func locked() {
    let section = Section("witness.locked")
    let version = Version()
    let lock = NSLock()
    let start = Barrier(parties: 4)
    let threads = (0..<4).map { number in
      JoinableThread {
        start.wait()
        for turn in 0..<10_000 {
          lock.withLock {
            if (turn + number) % 3 == 0 {
              section.write { version.raise() }
            } else {
              section.read(witness: version.value) {}
            }
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(Findings.conflicts(on: "witness.locked").isEmpty)
  }

  @Test("races of marked writers and readers are never reported as changes by unmarked code")
  func racing() {
    let section = Section("witness.racing")
    let version = Version()
    let start = SpinBarrier(parties: 3)
    let threads = (0..<3).map { number in
      JoinableThread {
        start.wait()
        for turn in 0..<5_000 {
          if number == 0 {
            section.write { version.raise() }
          } else if number == 1, turn % 2 == 0 {
            section.write("part") { version.raise() }
          } else {
            section.read(witness: version.value) { if turn % 64 == 0 { sched_yield() } }
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(Findings.conflicts(on: "witness.racing").allSatisfy { $0.witness == nil })
  }

  @Test("a witnessed change fails the process as a conflict does, with both values in one line")
  func exitCode() async {
    let result = await #expect(
      processExitsWith: .exitCode(66), observing: [\.standardErrorContent]
    ) {
      setenv("INTERLOCK_OPTIONS", "on_conflict=log", 1)
      Section("witness.logged").read(witness: c_unmarked_value()) { c_change_unmarked_value() }
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains(
        /WitnessTests\.swift:\d+: conflict on 'witness\.logged #\d+': read here, changed by unmarked code from 0 to 1\n/
      ))
  }

  @Test("by default the process traps at the end of a section whose witness changed")
  func trap() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Section("witness.trap").read(witness: c_unmarked_value()) { c_change_unmarked_value() }
      writeLine("the process went on")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("interlock: conflict on 'witness.trap"))
    #expect(!text.contains("the process went on"))
  }

  @Test("with tracking switched off, neither the witness nor a conflict is evaluated")
  func off() async {
    await #expect(processExitsWith: .success) {
      setenv("INTERLOCK_OPTIONS", "sections=off", 1)
      Section("witness.off").read(witness: neverAsked()) {}
    }
  }

  @Test("a witness finds a change that comes while a delay holds the section open")
  func delayed() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .record
      SectionTracking.delays = true
      let section = Section("witness.delayed")
      let version = Version()
      // Two readers and a marked writer that nearly overlap arm the place; unmarked code writes all
      // the time.
      let stop = Counter()
      let stranger = JoinableThread { while stop.value == 0 { version.raise(); usleep(200) } }
      while !SectionTracking.conflicts.contains(where: { $0.witness != nil }) {
        section.read(witness: version.value) {}
        onThread { section.write {} }
      }
      stop.add()
      stranger.join()
      SectionTracking.removeAll()
    }
  }
}

private func neverAsked() -> Int { preconditionFailure("the witness was asked") }
