import Foundation
import TestSupport
import Testing

/// The result of a program of `MemoryTestChild`, which runs in a separate process.
struct MemoryProgram {
  var output: String
  var errors: String
  var status: Int32

  /// Runs a program: `on` with the check, `off` without it, `meant` with what each race means.
  init(_ name: String, check: String = "on") throws {
    let process = Process()
    process.executableURL = try Self.child
    process.arguments = name.isEmpty ? [] : [name, check]
    let (output, errors) = try ProcessStart.alone {
      let output = Pipe()
      let errors = Pipe()
      process.standardOutput = output
      process.standardError = errors
      try process.run()
      return (output, errors)
    }
    // Less than a pipe's buffer: the child never waits for a reader of its errors.
    self.output = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    self.errors = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    status = process.terminationStatus
  }

  /// The lines that begin with `race:`, without this prefix.
  var races: [String] { lines(after: "race: ") }

  /// The lines that begin with `undecided:`, without this prefix.
  var undecided: [String] { lines(after: "undecided: ") }

  /// The findings of prediction.
  var predictions: [String] { lines(after: "potential: ") }

  /// The bytes by which the process has grown, as a program of `SizePrograms` prints them.
  var bytes: Int? { lines(after: "bytes: ").first.flatMap { Int($0) } }

  /// The notes of prediction about what it could not follow.
  var notes: [String] { lines(after: "note: ") }

  private func lines(after prefix: String) -> [String] {
    output.split(separator: "\n").filter { $0.hasPrefix(prefix) }
      .map { String($0.dropFirst(prefix.count)) }
  }

  /// The child, next to the test bundle.
  private static var child: URL {
    get throws {
      let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      return URL(fileURLWithPath: own).deletingLastPathComponent()
        .appendingPathComponent("MemoryTestChild")
    }
  }

  /// The names of all programs.
  static let names: [String] = {
    let list = try? MemoryProgram("")
    return list.map { $0.output.split(separator: "\n").map(String.init) } ?? []
  }()
}
