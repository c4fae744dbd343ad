import Foundation
import TestSupport
import Testing

@testable import StressRunner

/// A folder that is removed when the test ends.
private final class TemporaryFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "interlock-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Writes a file, and creates the folders in its name.
  func write(_ text: String, _ name: String) throws {
    try makeFolder((name as NSString).deletingLastPathComponent)
    try text.write(toFile: path + "/" + name, atomically: false, encoding: .utf8)
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: path + "/" + name, withIntermediateDirectories: true)
  }

  var messages: [String] {
    do throws(ScenarioErrors) {
      _ = try ScenarioFolder.load(path)
      return []
    } catch {
      return error.errors.map { $0.description.replacing(path, with: "F") }
    }
  }
}

private func scenario(_ name: String) -> String {
  """
  { "summary": "s", "source": "s",
    "name": "\(name)",
    "workload": { "driver": "tasks", "phases": [{ "callers": 1, "operations": ["get"] }] } }
  """
}

@Suite("A folder of scenarios is read")
struct ScenarioFolderTests {
  @Test("Only a folder's .json files, at any depth, are scenarios, in the order of names")
  func content() throws {
    let folder = try TemporaryFolder()
    try folder.write(scenario("two"), "b.json")
    try folder.write(scenario("one"), "a.json")
    try folder.write("no JSON", "README.md")
    try folder.write("no JSON", ".hidden.json")
    try folder.write(scenario("four"), "aa/d.json")
    try folder.write(scenario("three"), "aa/c.json")
    try folder.write("no JSON", "aa/notes.txt")
    try folder.write("no JSON", "aa/.hidden.json")
    try folder.write(scenario("five"), "aa/deeper/e.json")
    try folder.write(scenario("six"), "aa/deeper/still/f.json")
    try folder.write(scenario("seven"), "ab/g.json")
    try folder.write("no JSON", ".hidden/h.json")
    try folder.write("no JSON", "aa/deeper/.hidden/h.json")
    try folder.makeFolder("bb")
    let files = try ScenarioFolder.load(folder.path)
    #expect(files.map(\.scenario.name) == ["one", "two", "three", "four", "five", "six", "seven"])
    let names = [
      "/a.json", "/b.json", "/aa/c.json", "/aa/d.json", "/aa/deeper/e.json",
      "/aa/deeper/still/f.json", "/ab/g.json",
    ]
    #expect(files.map(\.path) == names.map { folder.path + $0 })
    #expect(try ScenarioFolder.load(folder.path + "/").map(\.path) == files.map(\.path))
  }

  @Test("Scenarios in a folder's subfolders are enough, at any depth")
  func foldersAlone() throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("a/b")
    #expect(folder.messages == ["F: holds no scenario, expected files that end in .json"])
    try folder.write(scenario("deep"), "a/b/deep.json")
    #expect(try ScenarioFolder.load(folder.path).map(\.scenario.name) == ["deep"])
  }

  @Test("A package below a folder is left out, and is read if it is named")
  func packages() throws {
    let folder = try TemporaryFolder()
    try folder.write(scenario("one"), "one.json")
    try folder.write("// swift-tools-version: 6.2", "Models/Package.swift")
    try folder.write(scenario("one"), "Models/Scenarios/one.json")
    try folder.write("no JSON", "Models/.build/debug.json")
    #expect(try ScenarioFolder.load(folder.path).map(\.path) == [folder.path + "/one.json"])
    let models = folder.path + "/Models"
    #expect(
      try ScenarioFolder.load(models).map(\.path) == [models + "/Scenarios/one.json"])
  }

  @Test("A folder whose path is too long for the system is an error, and not left out")
  func tooDeep() throws {
    let folder = try TemporaryFolder()
    try folder.write(scenario("one"), "one.json")
    let name = String(repeating: "d", count: 200)
    // Made by descriptors, because the path would be too long.
    var folders = [open(folder.path, O_RDONLY | O_DIRECTORY)]
    for index in 0..<25 {
      #expect(mkdirat(folders[index], name, 0o700) == 0)
      folders.append(openat(folders[index], name, O_RDONLY | O_DIRECTORY))
    }
    defer {
      for parent in folders.reversed() {
        _ = unlinkat(parent, name, AT_REMOVEDIR)
        close(parent)
      }
    }
    #expect(folder.messages.count == 1)
    #expect(folder.messages.first?.hasSuffix(": cannot be read: File name too long") ?? false)
  }

  @Test("A link to a folder is not followed, wherever it leads")
  func linkedFolder() throws {
    let folder = try TemporaryFolder()
    let other = try TemporaryFolder()
    try other.write("no JSON", "outside.json")
    try folder.write(scenario("one"), "a/one.json")
    #expect(symlink(other.path, folder.path + "/link") == 0)
    #expect(symlink("a", folder.path + "/loop") == 0)
    #expect(symlink(folder.path, folder.path + "/a/up") == 0)
    #expect(try ScenarioFolder.load(folder.path).map(\.path) == [folder.path + "/a/one.json"])
  }

  @Test("A missing folder, a file in its place and an empty folder are one line each")
  func noFolder() throws {
    let folder = try TemporaryFolder()
    #expect(folder.messages == ["F: holds no scenario, expected files that end in .json"])
    try folder.write("{}", "file")
    func message(_ path: String) -> [String] {
      do throws(ScenarioErrors) {
        _ = try ScenarioFolder.load(path)
        return []
      } catch {
        return error.errors.map { $0.description.replacing(folder.path, with: "F") }
      }
    }
    #expect(message(folder.path + "/x") == ["F/x: is not there, expected a folder of scenarios"])
    // The path as Swift decodes it if it is not UTF-8.
    #expect(
      message(folder.path + "/\u{FFFD}")
        == ["F/\u{FFFD}: has a name that is not UTF-8, expected one that is"])
    #expect(
      message(folder.path + "/file") == [
        "F/file: is a regular file, expected a folder of scenarios"
      ])
    #expect(message(folder.path + "/file/x") == ["F/file/x: cannot be read: Not a directory"])
  }

  @Test("An unreadable folder or file is one line", .disabled(if: geteuid() == 0))
  func permissions() throws {
    let folder = try TemporaryFolder()
    try folder.write(scenario("one"), "a.json")
    chmod(folder.path + "/a.json", 0)
    #expect(folder.messages == ["F/a.json: cannot be read: Permission denied"])
    chmod(folder.path + "/a.json", 0o600)
    try folder.write(scenario("two"), "below/b.json")
    chmod(folder.path + "/below", 0)
    #expect(folder.messages == ["F/below: cannot be read: Permission denied"])
    chmod(folder.path + "/below", 0o700)
    chmod(folder.path, 0)
    #expect(folder.messages == ["F: cannot be read: Permission denied"])
    chmod(folder.path, 0o700)
  }

  @Test("Two scenarios of one name are an error with both paths")
  func duplicates() throws {
    let folder = try TemporaryFolder()
    try folder.write(scenario("reads"), "a.json")
    try folder.write(scenario("reads"), "b.json")
    #expect(folder.messages == ["F/b.json:2: the name 'reads' is taken by F/a.json:2"])
    try folder.write(scenario("reads"), "below/a.json")
    #expect(
      folder.messages == [
        "F/b.json:2: the name 'reads' is taken by F/a.json:2",
        "F/below/a.json:2: the name 'reads' is taken by F/a.json:2",
      ])
    let other = try TemporaryFolder()
    try other.write(scenario("reads"), "one/deep/a.json")
    try other.write(scenario("reads"), "two/a.json")
    #expect(
      other.messages == ["F/two/a.json:2: the name 'reads' is taken by F/one/deep/a.json:2"])
  }

  @Test("The first fault of each file is reported, not only the first file's")
  func allFaults() throws {
    let folder = try TemporaryFolder()
    try folder.write("{", "a.json")
    try folder.write(scenario("reads"), "b.json")
    try folder.write("[]", "c.json")
    try folder.write("3", "below/d.json")
    #expect(
      folder.messages == [
        "F/a.json:1: expected a key in quotation marks, found the end of the file",
        "F/c.json:1: a scenario must be an object, found a list",
        "F/below/d.json:1: a scenario must be an object, found 3",
      ])
  }

  @Test("A file of 100 MB is refused before it is read", .hangLimit)
  func hugeFile() throws {
    let folder = try TemporaryFolder()
    try folder.write("", "huge.json")
    #expect(truncate(folder.path + "/huge.json", 100_000_000) == 0)
    #expect(folder.messages == ["F/huge.json: has 100000000 bytes, expected at most 1048576"])
    try folder.makeFolder("below")
    #expect(rename(folder.path + "/huge.json", folder.path + "/below/huge.json") == 0)
    #expect(
      folder.messages == ["F/below/huge.json: has 100000000 bytes, expected at most 1048576"])
  }

  @Test("A file that is not UTF-8 is refused with the line")
  func notUTF8() throws {
    let folder = try TemporaryFolder()
    try Data([0x7B, 0x0A, 0xFF, 0x7D]).write(to: URL(fileURLWithPath: folder.path + "/a.json"))
    #expect(
      folder.messages == [
        "F/a.json:2: expected UTF-8, found the byte 0xFF, which begins no character"
      ])
  }

  @Test(
    "Links, pipes, devices and folders are refused without blocking", .hangLimit)
  func irregularFiles() throws {
    let folder = try TemporaryFolder()
    let other = try TemporaryFolder()
    try other.write(scenario("outside"), "outside.json")
    // A file inside a folder that is named like a scenario is not read.
    try folder.write(scenario("inside"), "sub.json/inside.json")
    try folder.makeFolder("below/sub.json")
    for name in ["", "/below"] {
      let path = folder.path + name
      #expect(symlink(other.path + "/outside.json", path + "/link.json") == 0)
      #expect(symlink("/dev/zero", path + "/device.json") == 0)
      #expect(mkfifo(path + "/pipe.json", 0o600) == 0)
    }
    #expect(
      folder.messages
        == ["F", "F/below"].flatMap {
          [
            "\($0)/device.json: is a symbolic link, expected a regular file",
            "\($0)/link.json: is a symbolic link, expected a regular file",
            "\($0)/pipe.json: is a pipe, expected a regular file",
            "\($0)/sub.json: is a folder, expected a regular file",
          ]
        })
  }
}
