import Foundation

@testable import StressRunner

/// Runs hostile subjects in their own namespaces and file systems: `StressRunnerTestChild hostile`.
enum Enclosure {
  /// The result of a trial; every second one is of `benign`.
  struct Result: Decodable {
    var index: Int
    var verdict: String
    var message: String
    var seconds: Double
    var errors: String
  }

  /// The files and processes that are left after the run.
  struct Remains: Decodable {
    var processes: [String]
    var files: [String]
    var said: [String]
  }

  /// A whole run.
  struct Run {
    var results: [Int: Result] = [:]
    var remains: Remains?
    var code: Int32
    var output: String
  }

  /// Runs subjects in an enclosure.
  static func run(_ subjects: [HostileSubject], jobs: Int) throws -> Run {
    let folder = NSTemporaryDirectory() + "/enclosure-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { rmdir(folder) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: childExecutable)
    process.arguments =
      ["hostile", folder, "\(jobs)"] + subjects.map { "\($0.name)=\($0.seconds)" }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    var run = Run(
      code: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
    for line in data.split(separator: UInt8(ascii: "\n")) {
      if let result = try? JSONDecoder().decode(Result.self, from: line) {
        run.results[result.index] = result
      } else if let remains = try? JSONDecoder().decode(Remains.self, from: line) {
        run.remains = remains
      }
    }
    return run
  }

  /// True if this machine allows an enclosure; prints the reason if not.
  static let isPossible: Bool = {
    guard let run = try? run([HostileSubject("exit-0", .crashed)], jobs: 1) else { return true }
    if run.code == 77 { print("no enclosure for hostile subjects: \(run.output)", terminator: "") }
    return run.code != 77
  }()
}
