import Foundation
import TestSupport
import Testing

/// The programs of `Sources/SamplePrograms/Memory`, each in a separate process.
@Suite("Small programs without marks", .serialized) struct CheckedProgramTests {
  private static let racy = names(racy: true)
  private static let correct = names(racy: false)

  private static func run(_ arguments: [String]) throws -> (status: Int32, text: String) {
    let process = Process()
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    process.executableURL = URL(fileURLWithPath: own).deletingLastPathComponent()
      .appendingPathComponent("MemoryProgram")
    process.arguments = arguments
    let output = try ProcessStart.alone {
      let output = Pipe()
      process.standardOutput = output
      process.standardError = output
      try process.run()
      return output
    }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  private static func names(racy: Bool) -> [String] {
    let prefix = racy ? "racy " : "correct "
    let list = try? run([])
    return (list?.text ?? "").split(separator: "\n").filter { $0.hasPrefix(prefix) }
      .map { String($0.dropFirst(prefix.count)) }
  }

  @Test("There are at least 40 racy and 60 correct small programs")
  func counts() {
    #expect(Self.racy.count >= 40)
    #expect(Self.correct.count >= 60)
  }

  @Test("The race of a small program is found", arguments: racy)
  func findsRace(_ name: String) throws {
    let run = try Self.run(["--check", name])
    #expect(run.status == 66, "\(run.text)")
  }

  @Test("A correct small program is not reported", arguments: correct)
  func reportsNoCorrectProgram(_ name: String) throws {
    let run = try Self.run(["--check", name])
    #expect(run.status == 0, "\(run.text)")
  }
}
