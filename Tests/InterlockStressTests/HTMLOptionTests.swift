import Foundation
import StressRunner
import Testing

@testable import InterlockStress

/// `run --html FILE` writes a page at the end of the run, either whole or not at all.
@Suite("--html")
struct HTMLOptionTests {
  private func names(in test: TestWorld) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: test.folder).sorted()
  }

  @Test("--html writes a page when the run is over, and leaves nothing beside it")
  func page() throws {
    let test = try TestWorld()
    let file = test.folder + "/out.html"
    try "an earlier page".write(toFile: file, atomically: true, encoding: .utf8)
    test.afterEach = {
      #expect((try? test.read("out.html")) == "an earlier page")
    }
    #expect(test.run("reads", "--html", file) == .met)
    let text = try test.read("out.html")
    #expect(text.hasPrefix("<!DOCTYPE html>") && text.hasSuffix("</html>\n"))
    #expect(text.contains("✓ race"))
    #expect(try names(in: test) == ["StressScenarios", "out.html"])
    #expect(test.output.text.contains("3 met"))
  }

  @Test("--html has the trials that were judged when a run is interrupted")
  func interrupted() throws {
    let test = try TestWorld()
    test.interruptAfter = 2
    #expect(test.run("--html", test.folder + "/out.html") == .interrupted)
    #expect(try test.read("out.html").contains("4 of 6 not judged"))
  }

  @Test("--html follows a link, and leaves it a link")
  func link() throws {
    let test = try TestWorld()
    let link = test.folder + "/link.html"
    #expect(FileManager.default.createFile(atPath: test.folder + "/real.html", contents: nil))
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: test.folder + "/real.html")
    #expect(test.run("reads", "--html", link) == .met)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link).hasSuffix("real.html"))
    #expect(try test.read("real.html").hasSuffix("</html>\n"))
  }

  @Test("--html ends with 64 before any trial, in one line, if the file cannot be written")
  func impossible() throws {
    for (path, reason) in [
      ("/nowhere/out.html", "No such file or directory"), ("", "expected the path of a file"),
      ("-", "expected the path of a file"), ("/", "Is a directory"),
    ] {
      let test = try TestWorld()
      #expect(test.run("reads", "--html", path) == .usage)
      #expect(test.trials.isEmpty)
      #expect(
        test.errors.text.hasPrefix("error: The value '\(path)' is invalid for '--html <file>': "))
      #expect(test.errors.text.contains(reason))
      #expect(test.errors.text.filter { $0 == "\n" }.count == 1)
    }
  }

  @Test("--html ends with 70 if the folder is removed meanwhile, in one line, after the text")
  func lost() throws {
    let test = try TestWorld()
    let folder = test.folder + "/pages"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    test.afterEach = { try? FileManager.default.removeItem(atPath: folder) }
    #expect(test.run("reads", "--html", folder + "/out.html") == .ourFault)
    #expect(
      test.errors.text
        == "error: '\(folder)/out.html' could not be written: No such file or directory\n")
    #expect(test.output.text.contains("3 met"))
  }

  @Test(
    "--html ends with 70 if the disk is full",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "needs /dev/full"))
  func fullDisk() throws {
    let test = try TestWorld()
    #expect(test.run("reads", "--html", "/dev/full") == .ourFault)
    #expect(
      test.errors.text == "error: '/dev/full' could not be written: No space left on device\n")
  }
}
