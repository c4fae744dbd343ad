import CInterlockExplorer
import TestSupport
import Testing

/// Calls on the files of one folder, by threads without any other ordering.
@Suite(.serialized, .controlled, .offThePool) struct FileTests {
  /// The number of calls that the bodies are made of.
  static let calls = 42

  @Test(
    "reduced search has every outcome that depth-first search has of two calls on files")
  func pairs() throws {
    var reducedToOne = 0
    for one in 0..<Self.calls {
      // A quarter of the pairs: each call meets eight or nine others.
      for other in one..<Self.calls where (7 * one + 3 * other) % 4 == 0 {
        reducedToOne += try compare("files-\(one)-\(other)") == 1 ? 1 : 0
      }
    }
    #expect(reducedToOne > 40)
  }

  @Test(
    "reduced search has every outcome that depth-first search has of three calls on files")
  func triples() throws {
    for seed in 0..<10 { _ = try compare("file-calls-\(seed)") }
  }

  /// Compares the outcomes, and returns the number of reduced executions.
  private func compare(_ body: String) throws -> Int {
    let all = try Exploration(body, "--search", "dfs", "--executions", "500")
    let reduced = try Exploration(body, "--search", "dpor", "--executions", "5000")
    #expect(reduced.isComplete, "\(body)")
    #expect(Set(all.outcomes).isSubset(of: reduced.outcomes), "\(body)")
    if all.isComplete { #expect(Set(all.outcomes) == Set(reduced.outcomes), "\(body)") }
    return reduced.executions
  }

  @Test(
    "calls on files that have nothing in common have one order",
    arguments: ["files-2-9", "files-14-17", "files-9-26", "files-4-25"])
  func independent(_ body: String) throws {
    let reduced = try Exploration(body, "--search", "dpor", "--executions", "5000")
    #expect(reduced.isComplete)
    #expect(reduced.executions == 1)
  }

  @Test("a call on a pipe is not controlled, and the exploration names it")
  func pipe() throws {
    let exploration = try Exploration("pipe", "--search", "dpor", "--executions", "10")
    #expect(exploration.failures == 0)
    #expect(exploration.escaped == "a call on a pipe")
  }

  @Test(
    "a call that duplicates or locks a file, or is on no file, escapes, and is named",
    arguments: [
      ("dup", "dup"), ("dup2", "dup2"), ("fcntl", "fcntl"),
      ("fcntl-close", "fcntl"), ("fcntl-lock", "fcntl"), ("flock", "flock"), ("lockf", "lockf"),
      ("fdopen", "dup"), ("fopen", "fopen"), ("fchdir", "fchdir"), ("glob", "glob"),
      ("eventfd", "a call on a descriptor without a file"),
    ])
  func escaping(_ body: String, _ call: String) throws {
    let exploration = try Exploration("escaping-\(body)", "--search", "dpor", "--executions", "10")
    #expect(exploration.failures == 0)
    #expect(exploration.escaped.hasPrefix(call), "\(exploration.escaped)")
  }

  @Test("files with random names are listed in the same order in each execution")
  func listings() throws {
    let exploration = try Exploration("listed-files", "--executions", "20", "--check", "20")
    #expect(exploration.executions == 20)
    #expect(exploration.verdict == INTERLOCK_EXPLORED_PASSED, "\(exploration.text)")
  }
}
