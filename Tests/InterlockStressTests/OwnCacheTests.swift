import Foundation
import Testing

/// The example of the README: a package of its own that depends on this one by path.
@Suite(.serialized)
struct OwnCacheTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let package = root.appendingPathComponent("Tests/OwnCache")

  @Test(
    "the README shows the example as it is built",
    arguments: ["Package.swift", "Sources/OwnCacheStress/OwnCacheStress.swift"])
  func shown(file: String) throws {
    let readme = try String(
      contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
    var text = try String(
      contentsOf: Self.package.appendingPathComponent(file), encoding: .utf8)
    // A reader's package does not lie inside this one.
    text = text.replacingOccurrences(of: "path: \"../..\"", with: "path: \"../Interlock\"")
    #expect(readme.contains(text))
  }

  @Test("it builds, gates its own scenario, and finds the cache that forgets its lock")
  func buildsAndRuns() throws {
    let results = FileManager.default.temporaryDirectory
      .appendingPathComponent("own-cache-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: results) }
    let gate = try run(
      "/bin/bash",
      [
        Self.root.appendingPathComponent("ci/gate.sh").path,
        "--package", Self.package.path, "--product", "OwnCacheStress", "--json", results.path,
        "--color", "never",
      ])
    #expect(gate.code == 0, "\(gate.text)")
    #expect(gate.text.contains("mixed  careful  passed"))
    #expect(gate.text.contains("mixed  hasty    race"))
    #expect(gate.text.contains("'hasty.entries'"))
    let json = try String(contentsOf: results, encoding: .utf8)
    #expect(json.contains("\"met\": 2"))
    #expect(json.contains("OwnCacheStress/OwnCacheStress.swift"))
  }

  @Test("the gate says what is wrong with its own arguments, and ends with 64")
  func gateUsage() throws {
    let gate = Self.root.appendingPathComponent("ci/gate.sh").path
    let missing = try run("/bin/bash", [gate, "--json"])
    #expect(missing.code == 64)
    #expect(missing.text.hasPrefix("error: Missing value for '--json'"))
    let nowhere = try run("/bin/bash", [gate, "--package", "/nowhere"])
    #expect(nowhere.code == 64)
    #expect(nowhere.text.contains("'/nowhere' is not a Swift package"))
  }

  private func run(_ executable: String, _ arguments: [String]) throws -> (
    code: Int32, text: String
  ) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
