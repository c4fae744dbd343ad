import Foundation
import Interlock
import Testing

@testable import StressRunner
import ProcessInspection

/// Subjects that try to end, hang or mislead the runner, each followed by a subject that must pass.
///
/// All run in an enclosure: new namespaces for processes, mounts, users and networks, in which all
/// but a file system in memory is read-only. If this machine allows no enclosure, no subject
/// runs.
@Suite(
  "A hostile subject", .serialized,
  .enabled(
    if: Enclosure.isPossible, "no enclosure can be made here, for the reason printed above"
  ),
  .disabled(if: Platform.isUnderThreadSanitizer, "it forks and traces, which its runtime forbids"))
struct HostileSubjectTests {
  /// Judges every subject of a table, the trials after each subject, and what is left afterwards.
  private func expect(
    _ subjects: [HostileSubject], jobs: Int, files: [String] = [], said: Set<String> = []
  ) throws {
    let run = try Enclosure.run(subjects, jobs: jobs)
    #expect(run.code == 0, "the runner ended with \(run.code)")
    for (index, subject) in subjects.enumerated() {
      let result = run.results[2 * index]
      #expect(
        result?.verdict == subject.verdict.rawValue,
        "\(subject.name): \(result?.verdict ?? "no verdict"): \(result?.message ?? "")")
      if let message = subject.message {
        #expect(
          result?.message.contains(message) == true,
          "\(subject.name): \(result?.message ?? "no message")")
      }
      let next = run.results[2 * index + 1]
      #expect(
        next?.verdict == "passed",
        "after \(subject.name): \(next?.message ?? "no verdict") \(next?.errors ?? "")")
    }
    let remains = try #require(run.remains, "the runner has not come to its end")
    // The runner's own symbolizer lives as long as the runner.
    let symbolizers = remains.processes.filter { $0.contains("(llvm-symbolizer)") }
    #expect(symbolizers.count <= 1)
    #expect(remains.processes.filter { !symbolizers.contains($0) } == [])
    #expect(remains.files == files)
    #expect(Set(remains.said) == said)
  }

  @Test(
    "A hostile subject that harms itself changes neither the next trial nor the machine")
  func ownProcess() throws {
    try expect(HostileSubject.ofProcesses, jobs: 16)
  }

  @Test("A hostile subject that writes to shared memory and pipes is judged; the next trial passes")
  func shared() throws {
    try expect(HostileSubject.ofSharedThings, jobs: 16)
  }

  @Test(
    "A hostile subject that deletes, moves or replaces the runner's folders loses only its files")
  func folders() throws {
    try expect(HostileSubject.ofFolders, jobs: 1, files: ["precious", "precious/file"])
  }

  @Test("A signal of a hostile subject does not end the runner, which reports the signal")
  func signals() throws {
    try expect(
      HostileSubject.ofSignals.map(\.subject), jobs: 1,
      said: Set(
        HostileSubject.ofSignals.map {
          "a trial of '\($0.subject.name)' sent \($0.signal) to the runner, which continues"
        }))
  }

  @Test("A hostile subject's processes, siblings and namespaces end with its trial")
  func others() throws {
    try expect(HostileSubject.ofOthers, jobs: 16)
  }

  @Test("A hostile subject that is hard to watch, or acts before main, is judged in time")
  func tricks() throws {
    try expect(HostileSubject.ofTricks, jobs: 16)
  }

  @Test("A hostile subject that prevents the removal of the runner's folder is reported")
  func leftFolder() throws {
    let subject = HostileSubject("locks-place-of-runners-folder", .passed)
    let run = try Enclosure.run([subject], jobs: 1)
    #expect(run.results.mapValues(\.verdict) == [0: "passed", 1: "passed"])
    let remains = try #require(run.remains)
    #expect(remains.files.count == 1)
    #expect(
      remains.said == ["the folder '/tmp/\(remains.files.first ?? "")' is left: Permission denied"])
  }

  @Test("Each hostile subject is in a table of these tests")
  func tables() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: childExecutable)
    process.arguments = ["hostile"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let tables =
      HostileSubject.ofProcesses + HostileSubject.ofSharedThings + HostileSubject.ofFolders
      + HostileSubject.ofSignals.map(\.subject) + HostileSubject.ofOthers + HostileSubject.ofTricks
    let known = tables.map(\.name) + ["locks-place-of-runners-folder", "benign"]
    #expect(Set(known).count == known.count)
    #expect(Set(text.split(separator: "\n").map(String.init)) == Set(known))
    #expect(known.count > 200)
  }
}
