import Foundation
import Testing

@testable import Interlock

// The README's first example, exactly as the README shows it.

final class Users: @unchecked Sendable {
  private var names: [Int: String] = [:]

  func rename(_ id: Int, to name: String) {
    BEGIN_LOCK(.noReadWrite, "users")  // I write: no other may read or write
    names[id] = name
    END_LOCK(.noReadWrite, "users")
  }

  func name(of id: Int) -> String? {
    BEGIN_LOCK(.noWrite, "users")  // I read: others may read, none may write
    defer { END_LOCK(.noWrite, "users") }
    return names[id]
  }
}

// The end of the example.

struct ReadmeTests {
  @Test("the README shows the example as it is built")
  func shown() throws {
    let own = try String(contentsOfFile: #filePath, encoding: .utf8)
    let start = try #require(own.range(of: "final class Users"))
    let end = try #require(own.range(of: "\n// The end of the example."))
    #expect(try readme.contains(own[start.lowerBound..<end.lowerBound] + "```"))
  }

  @Test("the README's example reports a reader beside the writer, and no reader beside a reader")
  func conflict() throws {
    Findings.collect()
    let users = Users()
    users.rename(1, to: "one")
    BEGIN_LOCK(.noWrite, "users")
    onThread { _ = users.name(of: 1) }
    END_LOCK(.noWrite, "users")
    #expect(Findings.conflicts(on: "users").isEmpty)
    BEGIN_LOCK(.noReadWrite, "users")
    onThread { _ = users.name(of: 1) }
    END_LOCK(.noReadWrite, "users")
    let conflict = try #require(Findings.conflicts(on: "users").first)
    #expect(conflict.first.mode == .noReadWrite)
    #expect(conflict.second.mode == .noWrite)
    #expect(conflict.second.place.function == "name(of:)")
    #expect(conflict.second.place.line == 18)
    // The README shows the opposite order.
    BEGIN_LOCK(.noWrite, "users")
    onThread { users.rename(1, to: "two") }
    END_LOCK(.noWrite, "users")
    let writer = try #require(
      Findings.conflicts(on: "users").first { $0.second.place.function == "rename(_:to:)" })
    let shown = Conflict(resource: "users", first: conflict.second, second: writer.second)
    let lines = "\(shown.headline)\n\(shown)".split(separator: "\n").filter {
      !$0.hasPrefix("    ")
    }
    // The text as a separate file has it, below its import.
    let text = lines.joined(separator: "\n")
      .replacing(conflict.first.place.file, with: "Demo/Users.swift")
      .replacing(/swift:(\d+)/) { "swift:\((Int($0.1) ?? 0) - 5)" }
    #expect(try readme.contains("```\n\(text)\n```"))
  }

  private var readme: String {
    get throws {
      try String(
        contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
          .deletingLastPathComponent().deletingLastPathComponent().appending(path: "README.md"),
        encoding: .utf8)
    }
  }
}
