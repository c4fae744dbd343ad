import Foundation
import TestSupport
import Testing

/// Code that a test compiles, in a folder that exists until `body` has ended.
enum CompiledC {
  /// Builds a library of this name, and passes its path to `body`.
  static func library<Result>(
    _ name: String, _ source: String, _ body: (String) throws -> Result
  ) throws -> Result {
    try compiled(name, source, ["-shared", "-fPIC"], body)
  }

  /// Builds a Swift library with debug lines.
  static func swiftLibrary<Result>(
    _ name: String, _ source: String, _ body: (String) throws -> Result
  ) throws -> Result {
    let arguments = ["-g", "-swift-version", "5", "-emit-library", "-module-name", "late"]
    return try compiled(name, source, arguments, by: "swiftc", file: "late.swift", body)
  }

  /// Builds a file of this name with a compiler of the toolchain, and passes its path to `body`.
  static func compiled<Result>(
    _ name: String, _ source: String, _ arguments: [String], by compiler: String = "clang",
    file: String = "source.c", _ body: (String) throws -> Result
  ) throws -> Result {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("sync-events-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent(file)
    let result = folder.appendingPathComponent(name)
    try source.write(to: file, atomically: true, encoding: .utf8)
    let build = Process()
    build.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    build.arguments = [compiler, file.path] + arguments + ["-o", result.path]
    try ProcessStart.alone { try build.run() }
    build.waitUntilExit()
    try #require(build.terminationStatus == 0, "\(compiler) does not compile here")
    return try body(result.path)
  }
}
