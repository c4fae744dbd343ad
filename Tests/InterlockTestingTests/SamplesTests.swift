import Foundation
import TestSupport
import Testing

/// Runs each file of `Tests/Samples`, and compares the output with the header of the file.
///
/// The lines after `// Prints:` must stand in the output in that order; `…` matches the rest of a
/// line. Numbers and replay strings may differ.
@Suite("a sample", .controlled, .offThePool)
struct SamplesTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../Samples").standardized
  static let files =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.first?.isNumber ?? false }.sorted()

  @Test("a sample prints what its header shows", arguments: files)
  func header(_ file: String) throws {
    let text = try String(contentsOf: Self.folder.appendingPathComponent(file), encoding: .utf8)
    let test = try #require(text.firstMatch(of: /@Test.* func (\w+)\(/))
    let shown = Self.shown(in: text)
    #expect(shown.count > 0, "\(file) has no line after '// Prints:'")
    let run = try WatchedRun("swift-testing", "Samples.\(test.1)\\(", of: "Samples")
    var lines = run.output.split(separator: "\n").map { Self.normal($0) }[...]
    for line in shown {
      let wanted = Self.normal(Substring(line))
      let index = lines.firstIndex { Self.matches($0, wanted) }
      #expect(
        index != nil, "\(file): '\(line)' is not in the output, in this order:\n\(run.output)")
      if let index { lines = lines[(index + 1)...] }
    }
  }

  @Test(
    "a sample prints what documents show of its output",
    arguments: [
      ("BankTests", "README.md"),
      ("BankTests", "Sources/InterlockTesting/InterlockTesting.docc/Exploring.md"),
      ("AccountTests", "README.md"),
    ])
  func documented(_ name: String, in document: String) throws {
    let root = Self.folder.appendingPathComponent("../..").standardized
    let text = try String(contentsOf: root.appendingPathComponent(document), encoding: .utf8)
    let code = try String(
      contentsOf: Self.folder.appendingPathComponent("\(name).swift"), encoding: .utf8)
    let test = try #require(code.firstMatch(of: /@Test func (\w+)\(/))
    let blocks = text.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }
      .map(\.element)
    let shown = try #require(blocks.first { $0.contains("\(name).swift:") })
    let run = try WatchedRun(
      "swift-testing", "Samples.(\(name)/)?\(test.1)\\(", of: "Samples",
      environment: ["INTERLOCK_OPTIONS": "hang_limit=60"])
    // Keeps line and object numbers; the pool's name depends on the program that runs the tests.
    func plain(_ line: some StringProtocol) -> String {
      String(line).replacing(/\u{1B}\[[0-9;]*m/, with: "")
        .replacing(/replay: explore.*/, with: "replay: …")
        .replacing(/thread \d+ \([a-z-]+ pool/, with: "thread # (a pool")
        .replacing(/swift:(\d+):\d+:/) { "swift:\($0.1):" }
        .trimmingCharacters(in: .whitespaces)
    }
    var lines = run.output.split(separator: "\n").map { plain($0) }[...]
    for line in shown.split(separator: "\n").map({ plain($0) }) where !["", "…"].contains(line) {
      let index = lines.firstIndex(of: line)
      #expect(index != nil, "'\(line)' is not in the output, in this order:\n\(run.output)")
      if let index { lines = lines[(index + 1)...] }
    }
    // An article that shows the test contains the whole file.
    if text.contains("@Test func \(test.1)") {
      #expect(text.contains(code.trimmingCharacters(in: .newlines)))
    }
  }

  @Test("there are eight to twelve samples")
  func count() { #expect((8...12).contains(Self.files.count)) }

  /// The lines of the header's output.
  private static func shown(in text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .drop { $0 != "// Prints:" }.dropFirst().prefix { $0.hasPrefix("//") }
      .map { String($0.dropFirst(2)) }.filter { $0.contains { $0 != " " } }
  }

  private static func matches(_ line: String, _ wanted: String) -> Bool {
    guard wanted.hasSuffix("…") else { return line == wanted }
    return line.hasPrefix(wanted.dropLast())
  }

  /// The line without what differs from run to run: numbers, addresses, replay strings, colours and
  /// the widths of columns.
  private static func normal(_ line: Substring) -> String {
    line.replacing(/0x[0-9a-f]+/, with: "#").replacing(/\u{1B}\[[0-9;]*m/, with: "")
      .replacing(/replay: "[^"]*"/, with: "replay: \"#\"")
      .replacing(/[0-9]+/, with: "#").replacing(/[ ]+/, with: " ")
      .trimmingCharacters(in: .whitespaces)
  }
}
