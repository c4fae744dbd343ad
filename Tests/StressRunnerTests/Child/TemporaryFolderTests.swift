import Foundation
import Interlock
import Testing

@testable import StressRunner

/// The folders of the runner and of its trials, inside a folder of the test.
struct TemporaryFolderTests {
  private let place: String

  init() throws {
    place = NSTemporaryDirectory() + "/folders-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
  }

  private func names(_ path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  private func open(_ path: String) throws -> Int32 {
    let descriptor = Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try #require(descriptor >= 0)
    return descriptor
  }

  @Test("A trial's temporary folder lies two levels below the runner's, and is removed with it")
  func levels() throws {
    defer { rmdir(place) }
    let folder = try TemporaryFolder()
    let one = try folder.makeTrial()
    let other = try folder.makeTrial()
    #expect(one.temporary.hasPrefix(one.path + "/"))
    #expect(one.path != other.path)
    let runners = (one.path as NSString).deletingLastPathComponent
    #expect((runners as NSString).lastPathComponent.hasPrefix("interlock-"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: one.temporary) == [])
    try Data(count: 10).write(to: URL(fileURLWithPath: one.temporary + "/file"))
    folder.remove(one)
    #expect(!FileManager.default.fileExists(atPath: one.path))
    #expect(FileManager.default.fileExists(atPath: other.temporary))
    #expect(folder.remove() == [])
    #expect(!FileManager.default.fileExists(atPath: runners))
  }

  @Test("If the runner's folder is gone, the next trial gets a new one at the same depth")
  func gone() throws {
    defer { rmdir(place) }
    let folder = try TemporaryFolder()
    let one = try folder.makeTrial()
    let runners = (one.path as NSString).deletingLastPathComponent
    // As a hostile subject may do.
    try FileManager.default.moveItem(atPath: runners, toPath: place + "/moved")
    try Data().write(to: URL(fileURLWithPath: runners))
    let next = try folder.makeTrial()
    #expect(next.path.split(separator: "/").count == one.path.split(separator: "/").count)
    #expect((next.path as NSString).deletingLastPathComponent != runners)
    #expect(FileManager.default.fileExists(atPath: next.temporary))
    #expect(folder.remove() == [])
    #expect(!FileManager.default.fileExists(atPath: runners))
    #expect(!FileManager.default.fileExists(atPath: next.path))
    #expect(names(place) == [])
  }

  @Test("A folder's removal follows no link, at any depth and with any names")
  func removal() throws {
    let tree = place + "/tree"
    let kept = place + "/kept"
    for path in [tree + "/a/b/c", tree + "/locked/inner", kept] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    try Data().write(to: URL(fileURLWithPath: kept + "/file"))
    try FileManager.default.createSymbolicLink(atPath: tree + "/link", withDestinationPath: kept)
    try FileManager.default.createSymbolicLink(
      atPath: tree + "/a/b/link", withDestinationPath: kept)
    mkfifo(tree + "/pipe", 0o600)
    var bad = Array(tree.utf8CString.dropLast()) + [47, -1, -2, 0]
    mkdir(&bad, 0o700)
    chmod(tree + "/locked", 0)
    // Deeper than the longest valid path.
    var deepest = try open(tree)
    for level in 0..<500 {
      let name = "deep-enough-\(level)"
      mkdirat(deepest, name, 0o700)
      let next = openat(deepest, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      try #require(next >= 0)
      close(deepest)
      deepest = next
    }
    close(deepest)
    let parent = try open(place)
    #expect(FolderRemoval.remove(Array("tree".utf8CString), in: parent) == nil)
    #expect(names(place) == ["kept"])
    #expect(names(kept) == ["file"])
    #expect(FolderRemoval.remove(Array("kept".utf8CString), in: parent) == nil)
    #expect(FolderRemoval.remove(Array("kept".utf8CString), in: parent) == nil)
    close(parent)
    #expect(rmdir(place) == 0)
  }
}

/// Invalid crash reports.
struct CrashReportTests {
  @Test("A crash report of 3 GB, a pipe and links in its place are not read", arguments: 0..<5)
  func hostile(kind: Int) throws {
    let folder = try TemporaryFolder()
    defer { _ = folder.remove() }
    let trial = try folder.makeTrial()
    let path = trial.path + "/subject-77-0.json"
    let whole = #"{"description":"d","threads":[]}"#
    switch kind {
    case 0:
      let file = Foundation.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      #expect(ftruncate(file, 3 << 30) == 0)
      close(file)
    case 1: mkfifo(path, 0o600)
    case 2: symlink("/dev/zero", path)
    case 3:
      try whole.write(toFile: trial.path + "/other", atomically: false, encoding: .utf8)
      symlink(trial.path + "/other", path)
    default:
      // The report is valid, but too large.
      let long = whole + String(repeating: " ", count: 9 << 20)
      try long.write(toFile: path, atomically: false, encoding: .utf8)
    }
    #expect(CrashReport.crash(of: 77, in: trial) == nil)
  }

  @Test("Numbers in a crash report that are not lines or addresses are left out")
  func numbers() throws {
    let folder = try TemporaryFolder()
    defer { _ = folder.remove() }
    let trial = try folder.makeTrial()
    let text =
      #"{"description":"d","threads":[{"crashed":true,"frames":[{"address":""},"#
      + #"{"address":"0x10","offset":-9223372036854775808,"sourceLocation":"#
      + #"{"file":"f.swift","line":-9223372036854775808}},{"address":"0xfffffffffffffffff"}]}]}"#
    try text.write(toFile: trial.path + "/subject-77-0.json", atomically: false, encoding: .utf8)
    let crash = try #require(CrashReport.crash(of: 77, in: trial))
    #expect(crash.stack.map(\.address) == [16])
    #expect(crash.stack.map(\.line) == [nil])
  }

  @Test("A closure in top-level code is named as such, although the toolchain leaves that out")
  func topLevelCode() throws {
    let folder = try TemporaryFolder()
    defer { _ = folder.remove() }
    let trial = try folder.makeTrial()
    let text =
      #"{"threads":[{"frames":[{"address":"0x10","description":"closure #1 in  + 44","offset":44}]}]}"#
    try text.write(toFile: trial.path + "/subject-77-0.json", atomically: false, encoding: .utf8)
    let crash = try #require(CrashReport.crash(of: 77, in: trial))
    #expect(crash.stack.map(\.function) == ["closure #1 in top-level code"])
  }
}
