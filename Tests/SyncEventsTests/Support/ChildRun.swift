import Foundation
import TestSupport
import Testing

/// A program of the test child, run until it ends.
struct ChildRun {
  /// The exit status, or the negated number of the signal that ended the child.
  var status: Int32
  /// The standard output.
  var output: String
  var errors: String
  /// How long the child ran.
  var seconds: Double

  /// The words of the last line of the output.
  var words: [String] {
    output.split(separator: "\n").last.map { $0.split(separator: " ").map(String.init) } ?? []
  }

  /// The numbers among `words`.
  var numbers: [Int] { words.compactMap { Int($0) } }

  /// A program in the folder of the test bundle, or at an absolute path.
  static func executable(_ name: String) -> URL {
    if name.hasPrefix("/") { return URL(fileURLWithPath: name) }
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: own).deletingLastPathComponent()
      .appendingPathComponent(name)
  }

  /// The marked lines of a program's source, in the form that a report shows.
  static func lines(
    of program: String, in name: String = "Programs+Hangs.swift", _ file: String = #filePath
  ) throws -> [String] {
    let source = URL(fileURLWithPath: file).deletingLastPathComponent()
      .appendingPathComponent("../../SyncEventsTestChild/\(name)")
    return try String(contentsOf: source, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false
    ).enumerated().compactMap { index, line in
      line.contains("// \(program): ") ? "\(name):\(index + 1) " : nil
    }
  }

  /// Starts the child in a given folder, with `quiet=on` unless `quiet` is false. Kills the child
  /// if it does not end in time, and then fails the test.
  init(
    _ arguments: String..., program: String = "SyncEventsTestChild", options: String? = nil,
    environment: [String: String] = [:], in startFolder: String? = nil, quiet: Bool = true,
    limit: Double = 240,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    try self.init(
      arguments: arguments, program: program, options: options, environment: environment,
      in: startFolder, quiet: quiet, limit: limit, at: location)
  }

  /// As above, with the arguments as a list.
  init(
    arguments: [String], program: String = "SyncEventsTestChild", options: String? = nil,
    environment: [String: String] = [:], in startFolder: String? = nil, quiet: Bool = true,
    limit: Double = 240,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("sync-events-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = try ["output", "errors"].map { name in
      let url = folder.appendingPathComponent(name)
      try Data().write(to: url)
      return (url: url, handle: try FileHandle(forWritingTo: url))
    }
    let process = Process()
    process.executableURL = Self.executable(program)
    process.arguments = arguments
    if let startFolder { process.currentDirectoryURL = URL(fileURLWithPath: startFolder) }
    var variables = ProcessInfo.processInfo.environment
    variables["INTERLOCK_OPTIONS"] = quiet ? (options ?? "") + " quiet=on" : options
    variables.merge(environment) { $1 }
    process.environment = variables
    // A file takes any amount of output; an unread pipe would stop the child.
    process.standardOutput = files[0].handle
    process.standardError = files[1].handle
    process.standardInput = FileHandle.nullDevice
    let hasEnded = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in hasEnded.signal() }
    let start = ContinuousClock.now
    try ProcessStart.alone { try process.run() }
    if hasEnded.wait(timeout: .now() + limit) == .timedOut {
      kill(process.processIdentifier, SIGKILL)
      hasEnded.wait()
      Issue.record("the child did not end within \(limit) s", sourceLocation: location)
    }
    seconds = (ContinuousClock.now - start) / .seconds(1)
    let number = process.terminationStatus
    status = process.terminationReason == .uncaughtSignal ? -number : number
    for file in files { try file.handle.close() }
    output = String(decoding: try Data(contentsOf: files[0].url), as: UTF8.self)
    errors = String(decoding: try Data(contentsOf: files[1].url), as: UTF8.self)
  }
}
