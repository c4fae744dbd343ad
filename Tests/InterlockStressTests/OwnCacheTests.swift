import Foundation
import Interlock
import Testing

@testable import InterlockStress

/// The example of the article *GatingYourType*: a package that depends on this one by path. This
/// package also has its executable, so that a test need not compile it all again.
@Suite(.serialized)
struct OwnCacheTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let package = root.appendingPathComponent("Tests/OwnCache")

  /// The folder of this build's executables.
  private static var binaries: String {
    get throws {
      let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      return URL(fileURLWithPath: own).deletingLastPathComponent().path
    }
  }

  /// Runs `interlock gate` with arguments, and with a `swift` from a folder.
  private func gate(
    _ arguments: [String], swiftIn folder: URL? = nil, from current: String? = nil
  ) throws -> (code: Int32, text: String) {
    try run(
      "/usr/bin/env",
      (current.map { ["-C", $0] } ?? []) + (folder.map { ["PATH=\($0.path):/usr/bin:/bin"] } ?? [])
        + [Self.binaries + "/interlock", "gate"] + arguments)
  }

  @Test(
    "the article on gating shows the example as it is built",
    arguments: ["Package.swift", "Sources/OwnCacheStress/OwnCacheStress.swift"])
  func shown(file: String) throws {
    let article = try String(
      contentsOf: Self.root.appendingPathComponent(
        "Sources/InterlockStress/InterlockStress.docc/GatingYourType.md"),
      encoding: .utf8)
    var text = try String(
      contentsOf: Self.package.appendingPathComponent(file), encoding: .utf8)
    // The reader's package does not lie inside this one.
    text = text.replacingOccurrences(of: "path: \"../..\"", with: "path: \"../Interlock\"")
    #expect(article.contains(text))
  }

  @Test("The article's example gates its own scenario, and finds the cache that omits its lock")
  func runs() throws {
    let binaries = try Self.binaries
    // A `swift` that builds nothing.
    let folder = try makeFolder { _ in
      ["swift": "#!/bin/sh\ncase \"$*\" in *--show-bin-path) echo '\(binaries)' ;; esac\n"]
    }
    defer { try? FileManager.default.removeItem(at: folder) }
    let results = FileManager.default.temporaryDirectory
      .appendingPathComponent("own-cache-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: results) }
    let gate = try gate(
      [
        "--package", Self.package.path, "--product", "OwnCacheStress", "--json", results.path,
        "--color", "never",
      ], swiftIn: folder)
    #expect(gate.code == 0, "\(gate.text)")
    #expect(gate.text.contains("\n✓ careful  passed"))
    #expect(gate.text.contains("\n✓ hasty    race"))
    #expect(gate.text.contains("'hasty.entries'"))
    let json = try String(contentsOf: results, encoding: .utf8)
    #expect(json.contains("\"met\": 2"))
    #expect(json.contains("OwnCacheStress/OwnCacheStress.swift"))
  }

  @Test("the gate reports a mistake in its own arguments, and ends with 64")
  func gateUsage() throws {
    let missing = try gate(["--json"])
    #expect(missing.code == 64)
    #expect(missing.text.hasPrefix("error: Missing value for '--json <file>'"))
    let nowhere = try gate(["--package", "/nowhere", "--product", "x"])
    #expect(nowhere.code == 64)
    #expect(nowhere.text.contains("'/nowhere' is not a Swift package"))
    let product = try gate(["--package", Self.root.path])
    #expect(product.code == 64)
    #expect(product.text.contains("'--package <folder>' needs '--product <name>'"))
    let folder = try gate(
      ["--package", Self.root.path, "--product", "x", "--json", "/nowhere/out.json"])
    #expect(folder.code == 64)
    #expect(folder.text.contains("'/nowhere/out.json' is invalid for '--json <file>'"))
    let unknown = try gate(["--pakage", "x"])
    #expect(unknown.code == 64)
    #expect(unknown.text.contains("Unknown option '--pakage'. Did you mean '--package'?"))
    for nonsense in ["-vq", "--subject", "-j"] {
      let refused = try gate(["--package", Self.root.path, nonsense])
      #expect(refused.code == 64 && refused.text.hasPrefix("error: "), "\(nonsense)")
    }
  }

  @Test("ci/gate.sh and ci/check-results.sh only call 'interlock gate'")
  func scripts() throws {
    for (script, words) in [("gate.sh", "gate"), ("check-results.sh", "gate --check")] {
      let text = try String(
        contentsOf: Self.root.appendingPathComponent("ci/\(script)"), encoding: .utf8)
      #expect(text.contains("/interlock\" \(words) \"$@\""))
      #expect(text.split(separator: "\n").count { !$0.hasPrefix("#") } <= 4)
    }
  }

  @Test("the gate passes on scenarios, the options of 'run', and everything after '--'")
  func gateArguments() throws {
    // A `swift` that builds nothing, and a product that prints its arguments.
    let folder = try makeFolder { folder in
      [
        "swift": "#!/bin/sh\ncase \"$*\" in *--show-bin-path) echo '\(folder)' ;; esac\n",
        "shown": "#!/bin/sh\nprintf '[%s]' \"$@\"\n", "Package.swift": "",
      ]
    }
    defer { try? FileManager.default.removeItem(at: folder) }
    let gate = try gate(
      [
        "--package=\(folder.path)", "reads", "--subject", "a b", "--repeat=2", "-j4", "-vj", "3",
        "--json", "-", "--product", "shown", "--", "--new", "x",
      ], swiftIn: folder)
    #expect(gate.code == 0)
    #expect(
      gate.text
        == "[run][--json][-][--subject][a b][--repeat][2][--jobs][4][--verbose][--jobs][3][reads]"
        + "[--new][x]")
  }

  @Test("the gate finds a scenario's path in the package's folder, then in its caller's")
  func gatePaths() throws {
    func makePackage() throws -> URL {
      try makeFolder { folder in
        [
          "swift": "#!/bin/sh\ncase \"$*\" in *--show-bin-path) echo '\(folder)' ;; esac\n",
          "shown": "#!/bin/sh\nprintf '[%s]' \"$@\"\n", "Package.swift": "", "both.json": "",
        ]
      }
    }
    let package = try makePackage()
    let caller = try makeFolder { _ in ["both.json": "", "my reads.json": "", "reads": ""] }
    defer { for folder in [package, caller] { try? FileManager.default.removeItem(at: folder) } }
    let gate = try gate(
      [
        "--package=\(package.path)", "--json=-", "--product=shown", "my reads.json", "both.json",
        "reads", "no.json",
      ], swiftIn: package, from: caller.path)
    #expect(
      gate.text
        == "[run][--json][-][\(caller.path)/my reads.json][both.json][reads][no.json]")
  }

  @Test("the gate passes on every option of 'run', with files relative to its caller's folder")
  func gateOptions() throws {
    let folder = try makeFolder { folder in
      [
        "swift": "#!/bin/sh\ncase \"$*\" in *--show-bin-path) echo '\(folder)' ;; esac\n",
        "shown": "#!/bin/sh\nprintf '[%s]' \"$@\"\n", "Package.swift": "",
      ]
    }
    defer { try? FileManager.default.removeItem(at: folder) }
    let answers: Set = ["help", "version", "json"]
    for spec in CommandName.run.options where !answers.contains(spec.name) {
      let value = try spec.placeholder.map { _ in
        var options = Options()
        let values = ["a value", "2", "on", "skipped", "never", "1/2"]
        return try #require(values.first { spec.read($0, &options) }, "\(spec.name)")
      }
      let gate = try gate(
        ["--package=\(folder.path)", "--json=-", "--product=shown", "--" + spec.name]
          + [value].compactMap { $0 }, swiftIn: folder, from: "/")
      let handed = value.map { spec.placeholder == "file" ? "[//\($0)]" : "[\($0)]" } ?? ""
      #expect(gate.text == "[run][--json][-][--\(spec.name)]\(handed)")
    }
  }

  @Test("a failed build of the gate removes the results of an earlier run, and nothing else")
  func gateStaleResults() throws {
    let folder = try makeFolder { _ in
      [
        "swift": "#!/bin/sh\nexit 1\n", "Package.swift": "", "old.json": "{}", "target.json": "{}",
        "other.json": "{}", "-": "{}",
      ]
    }
    defer { try? FileManager.default.removeItem(at: folder) }
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
    try FileManager.default.createSymbolicLink(
      atPath: path("link.json"), withDestinationPath: path("target.json"))
    for json in [path("old.json"), path("link.json"), "-", "/dev/null"] {
      let failed = try gate(
        ["--package", folder.path, "--product", "own", "--json", json], swiftIn: folder,
        from: folder.path)
      #expect(failed.code == 70)
      #expect(failed.text == "error: 'own' could not be built\n")
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(
      Set(left) == [
        "swift", "Package.swift", "target.json", "link.json", "other.json", "-",
      ])
    #expect(try String(contentsOfFile: path("target.json"), encoding: .utf8).isEmpty)
    #expect(try String(contentsOfFile: path("other.json"), encoding: .utf8) == "{}")
    #expect(FileManager.default.fileExists(atPath: "/dev/null"))
  }

  /// Makes a folder of executable files, whose text may contain its path.
  private func makeFolder(_ files: (_ folder: String) -> [String: String]) throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("gate-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in files(folder.path) {
      let file = folder.appendingPathComponent(name).path
      try text.write(toFile: file, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
    }
    return folder
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
