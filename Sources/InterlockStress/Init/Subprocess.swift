import Foundation
import StressRunner

/// A command of another tool.
package enum Subprocess {
  /// The exit code and the output of a command.
  package struct Result: Sendable {
    /// The exit code.
    package var code: Int32
    /// The text of standard output.
    package var output: [UInt8]
    /// The text of standard error.
    package var errors: String
  }

  /// Runs `swift package` with arguments in a folder.
  package static let swiftPackage: @Sendable ([String], _ folder: String) throws -> Result = {
    arguments, folder in
    try run(["swift", "package"] + arguments, in: folder)
  }

  /// Runs a command, which is searched in `PATH`, and waits until it ends.
  package static func run(_ words: [String], in folder: String) throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    // Use files: a full pipe would block the command while the other pipe is read.
    let base = NSTemporaryDirectory() + "interlock-" + UUID().uuidString
    let paths = [base + ".out", base + ".err"]
    defer { for path in paths { try? FileManager.default.removeItem(atPath: path) } }
    var files: [FileHandle] = []
    for path in paths {
      let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else {
        throw RunnerFault(reason: "no temporary file: \(String(cString: strerror(errno)))")
      }
      files.append(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
    }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = files[0]
    process.standardError = files[1]
    do {
      try process.run()
    } catch {
      throw RunnerFault(reason: "'\(words[0])' cannot be run: \(error.localizedDescription)")
    }
    process.waitUntilExit()
    let texts = files.map { file in
      try? file.seek(toOffset: 0)
      return [UInt8]((try? file.readToEnd()) ?? Data())
    }
    return Result(
      code: process.terminationStatus, output: texts[0],
      errors: String(decoding: texts[1], as: UTF8.self))
  }
}
