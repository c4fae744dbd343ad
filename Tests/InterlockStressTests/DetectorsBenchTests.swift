import Foundation
import InterlockStress
import PredictPrograms
import Programs
import SamplePrograms
import Testing

@testable import InterlockExam

@Suite("The comparison of detectors")
struct DetectorsBenchTests {
  @Test("The comparison of detectors needs both programs, and whole numbers from 1 to 1000")
  func settings() throws {
    let programs = [
      DetectorSettings.programVariable: "/a", DetectorSettings.sanitizedVariable: "/b",
      DetectorSettings.markedVariable: "/c",
    ]
    #expect(try DetectorSettings(environment: [:]) == nil)
    #expect(try DetectorSettings(environment: [DetectorSettings.programVariable: "/a"]) == nil)
    let plain = try #require(try DetectorSettings(environment: programs))
    #expect(plain.program == "/a" && plain.sanitizedProgram == "/b" && plain.markedProgram == "/c")
    #expect(try DetectorSettings(environment: programs.filter { $0.value != "/c" }) == nil)
    #expect(plain.runs == 5 && plain.valgrindRuns == 1)
    let counted = try DetectorSettings(
      environment: programs.merging([
        DetectorSettings.runsVariable: "40", DetectorSettings.valgrindRunsVariable: "1000",
      ]) { $1 })
    #expect(counted?.runs == 40 && counted?.valgrindRuns == 1000)
    for text in ["0", "1001", "-1", "", "many", "1.5"] {
      for variable in [DetectorSettings.runsVariable, DetectorSettings.valgrindRunsVariable] {
        let error = #expect(throws: UsageError.self) {
          try DetectorSettings(environment: programs.merging([variable: text]) { $1 })
        }
        #expect(
          error?.message == "\(variable) must be a whole number from 1 to 1000, found '\(text)'")
      }
    }
  }

  @Test("Every program in the table of detectors exists once; all but one wrong program have twins")
  func rows() {
    let names = DetectorRow.all.flatMap(\.programs)
    let known = Set((predictPrograms + racePrograms + detectorPrograms).map(\.name))
    #expect(Set(names).isSubset(of: known), "\(Set(names).subtracting(known))")
    #expect(Set(names).count == names.count)
    #expect(Set(detectorPrograms.map(\.name)).isSubset(of: names))
    let rows = DetectorRow.all
    let alone = rows.indices.dropLast()
      .filter { !rows[$0].isCorrect && !rows[$0 + 1].isCorrect }.map { rows[$0].title }
    #expect(alone == ["racy, 50 ops"])
  }

  @Test("Rows of the table of detectors are chosen by title, with their twins, or a line says so")
  func chosenRows() throws {
    let programs = [
      DetectorSettings.programVariable: "/a", DetectorSettings.sanitizedVariable: "/b",
      DetectorSettings.markedVariable: "/c",
    ]
    func rows(_ text: String) throws -> [DetectorRow]? {
      try DetectorSettings(
        environment: programs.merging([DetectorSettings.rowsVariable: text]) { $1 })?.rows
    }
    #expect(
      try rows("by sections")?.flatMap(\.programs)
        == ["section-mutexes-both-ways", "section-mutexes-one-way"])
    #expect(try rows("counter")?.count == 2)
    #expect(try DetectorSettings(environment: programs)?.rows == DetectorRow.all)
    let error = #expect(throws: UsageError.self) { try rows("its wrong twin") }
    #expect(error?.message == "No row of the table has 'its wrong twin' in its title")
  }

  @Test("ThreadSanitizer's finding is its warning or exit code; a crash or a hang is no run")
  func sanitized() {
    let warning = "==================\nWARNING: ThreadSanitizer: data race (pid=1)\n"
    #expect(Sighting(sanitized: .exited(0), output: "") == .silent)
    #expect(Sighting(sanitized: .exited(66), output: "") == .reported)
    #expect(Sighting(sanitized: .exited(0), output: warning) == .reported)
    #expect(Sighting(sanitized: .killed(signal: 11), output: warning) == .reported)
    #expect(Sighting(sanitized: .killed(signal: 11), output: "") == .failed("signal 11"))
    #expect(Sighting(sanitized: .exited(64), output: "error: …") == .failed("exit code 64"))
    #expect(Sighting(sanitized: .overTime, output: "") == .failed("hung"))
    #expect(Sighting(sanitized: .notStarted("gone"), output: "") == .failed("gone"))
  }

  @Test("Valgrind's finding is in its summary; without a summary nothing was watched")
  func valgrind() {
    func summary(_ count: String) -> String {
      "==7== For lists …\n==7== ERROR SUMMARY: \(count) errors from 2 contexts (suppressed: 9 from 1)\n"
    }
    #expect(Sighting(valgrind: .exited(0), output: summary("0")) == .silent)
    #expect(Sighting(valgrind: .exited(66), output: summary("17")) == .reported)
    #expect(Sighting(valgrind: .exited(66), output: summary("2,485,233")) == .reported)
    #expect(Sighting(valgrind: .killed(signal: 6), output: summary("0")) == .failed("signal 6"))
    #expect(Sighting(valgrind: .exited(0), output: "hello\n") == .failed("no summary"))
    #expect(
      Sighting(valgrind: .exited(1), output: "==7== Valgrind: I can't recover.\n")
        == .failed("exit code 1"))
  }

  @Test(
    "The table of detectors stars and lists omitted runs and false reports")
  func table() {
    let table = DetectorTable(columns: ["plain", "TSan"])
    var found = DetectorTally()
    for sighting in [Sighting.reported, .silent, .reported] { found.add(sighting) }
    var crashed = DetectorTally()
    for sighting in [Sighting.silent, .failed("signal 11"), .failed("signal 11"), .failed("hung")] {
      crashed.add(sighting)
    }
    #expect(DetectorTally().cell == "–")
    #expect(
      table.head == String(repeating: " ", count: 38) + "    plain     TSan")
    #expect(
      table.line("a race", [found.cell, crashed.cell])
        == "a race" + String(repeating: " ", count: 32) + "      2/3     0/1*")
    #expect(
      table.notes("  a race", [found, crashed])
        == ["* a race, TSan: runs left out: 1 hung, 2 signal 11"])
    let wrong = DetectorRow(title: "a race", programs: ["racy"])
    let right = DetectorRow(title: "  its twin", programs: ["locked"], isCorrect: true)
    let group = DetectorRow(title: "gates", programs: ["g1", "g2"], isCorrect: true)
    #expect(
      table.falseReports([
        (wrong, [found, found]), (right, [crashed, found]), (group, [found, crashed]),
      ])
        == [
          "plain: 2 of 4 runs of correct programs reported: gates",
          "TSan: 2 of 4 runs of correct programs reported: locked",
        ])
    #expect(
      table.falseReports([(wrong, [found, found]), (right, [crashed, found])])
        == [
          "plain: 0 of 1 runs of correct programs reported",
          "TSan: 2 of 3 runs of correct programs reported: every one of them",
        ])
  }

  @Test("A slow-down is the median of the rounds' ratios, and has no figure without a round")
  func slowDown() {
    let line = DetectorsSlowDown.line(
      "TSan", [(100, 10), (40, 10), (70, 8)], budget: nil)
    #expect(
      line
        == "    TSan                             8.75 ×   (70 ns a call against 10 ns; the fastest of each 5.00 ×)"
    )
    let name = "    x" + String(repeating: " ", count: 29)
    #expect(
      DetectorsSlowDown.line("x", [(15, 10)], budget: 1.5)
        == name + "   1.50 ×   (15 ns a call against 10 ns; the fastest of each 1.50 ×)   ≤ 1.5 ×")
    #expect(DetectorsSlowDown.line("x", [(16, 10)], budget: 1.5).hasSuffix("   OVER"))
    #expect(DetectorsSlowDown.line("x", [], budget: 3) == name + "  no figure: it did not run")
    #expect(DetectorsSlowDown.nanoseconds(in: "==7== x\n35.25\n==7== ERROR") == 35.25)
    #expect(DetectorsSlowDown.nanoseconds(in: "WARNING\n") == nil)
  }

  @Test("The script of detectors reports a wrong option in one line, with code 64, before building")
  func script() {
    let script = URL(fileURLWithPath: #filePath)
      .appending(path: "../../../ci/checks/detectors.sh").standardizedFileURL.path
    for arguments in [
      ["--runs"], ["--runs", "0"], ["--runs=1001"], ["--valgrind-runs", "x"], ["a"],
    ] {
      let run = OutsideRun([script] + arguments, limit: 60)
      #expect(run.ending == .exited(64), "\(arguments)")
      #expect(run.output.hasPrefix("error: ") && run.output.filter { $0 == "\n" }.count == 1)
    }
    #expect(OutsideRun([script, "--help"]).output.hasPrefix("Usage: ci/checks/detectors.sh"))
  }

  @Test("A detector that is not installed has no command, and none of its runs is counted")
  func missing() throws {
    let settings = try #require(
      try DetectorSettings(environment: [
        DetectorSettings.programVariable: "/a", DetectorSettings.sanitizedVariable: "/b",
        DetectorSettings.markedVariable: "/c",
      ]))
    let detectors = Detector.all(settings, path: "/nowhere:/nowhere/else")
    #expect(detectors.map(\.name) == ["TSan", "TSan, flags", "Helgrind", "DRD"])
    #expect(detectors.map { $0.command == nil } == [false, false, true, true])
    #expect(detectors[2].sighting(of: "racy") == .failed("not installed"))
    #expect(Detector.find("sh", in: "/nowhere:/bin") == "/bin/sh")
  }

  @Test("A process's exit code, signal and output are recorded, and a hanging process is killed")
  func process() {
    func shell(_ text: String, limit: Double = 60) -> OutsideRun {
      OutsideRun(["/bin/sh", "-c", text], variables: ["TSAN_OPTIONS": "a=1"], limit: limit)
    }
    let ended = shell("echo out; echo $TSAN_OPTIONS >&2; exit 66")
    #expect(ended.ending == .exited(66) && ended.output == "out\na=1\n")
    #expect(shell("kill -9 $$").ending == .killed(signal: 9))
    #expect(shell("exec sleep 600", limit: 0.2).ending == .overTime)
    #expect(
      OutsideRun(["/nowhere/at/all"]).ending
        == .notStarted("'/nowhere/at/all' could not be started"))
  }

  @Test("A detector's process does not inherit this process's options")
  func options() async {
    // In a separate process, because the environment applies to all tests of a process.
    await #expect(processExitsWith: .success) {
      for name in ["TSAN_OPTIONS", "INTERLOCK_OPTIONS"] {
        setenv(name, "a=1", 1)
        let unset = OutsideRun(["/bin/sh", "-c", "echo ${\(name)-none}"])
        precondition(unset.output == "none\n")
      }
    }
  }

  @Test("A program of detectors runs by name and ends with 0; an unknown name is one line and 64")
  func program() {
    let path = Bundle.main.bundleURL.deletingLastPathComponent().path
    let folder =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      .map { URL(fileURLWithPath: $0).deletingLastPathComponent().path } ?? path
    let program = folder + "/DetectorProgram"
    let run = OutsideRun([program, "file-rewritten-in-turn"])
    #expect(run.ending == .exited(0) && run.output == "")
    let unknown = OutsideRun([program, "nope"])
    #expect(
      unknown.ending == .exited(64) && unknown.output == "error: there is no program 'nope'\n")
    for arguments in [[], ["--time", "0", "10"], ["--time-sections", "two", "10"], ["a", "b"]] {
      let wrong = OutsideRun([program] + arguments)
      #expect(wrong.ending == .exited(64), "\(arguments)")
      #expect(wrong.output.hasPrefix("error: ") && wrong.output.filter { $0 == "\n" }.count == 1)
    }
    // No watchdog is linked and no section begins, but unknown and unused options are still
    // reported.
    let bad = OutsideRun(
      [program, "file-rewritten-in-turn"],
      variables: ["INTERLOCK_OPTIONS": "on_conflct=log hang_limit=10 predict=on"])
    #expect(bad.ending == .exited(0))
    let lines = bad.output.split(separator: "\n")
    #expect(lines.count == 2, "\(bad.output)")
    #expect(lines.first?.contains("unknown option 'on_conflct'") == true)
    #expect(lines.last?.contains("'hang_limit', 'predict' do nothing here: the watchdog") == true)
    for option in ["--time", "--time-sections"] {
      let timed = OutsideRun(
        [program, option, "1", "1000"], variables: ["INTERLOCK_OPTIONS": "coverage=on"])
      #expect((DetectorsSlowDown.nanoseconds(in: timed.output) ?? 0) > 0)
      // A resource that only one thread used is reported at the end.
      #expect(timed.output.contains("table") == (option == "--time-sections"))
    }
  }
}
