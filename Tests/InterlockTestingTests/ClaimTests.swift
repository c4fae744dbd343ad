import Explorer
import Foundation
import TestSupport
import Testing

/// What the answer of a passing exploration says of the orders that were not executed.
@Suite("the answer of an exploration that passes", .serialized, .controlled, .offThePool)
struct ClaimTests {
  @Test("the answer claims all orders, and names what a passing exploration left out")
  func answers() throws {
    let run = try WatchedRun("swift-testing", "STClaims/")
    #expect(run.status == 0 && run.issues.isEmpty, "\(run.issues)\(run.output)")
    let unchecked = "; accesses of memory are not checked in this build (see InterlockMemory)"
    let expected: [(body: String, claim: String, leftOut: [String])] = [
      ("oneOrder", "the only order passes", []),
      ("twoOrders", "all 2 orders pass", []),
      ("exactTimes", "all 2 orders pass", ["with exact times"]),
      ("onePool", "the only order passes", ["on a pool of 1 thread"]),
      (
        "sleepingLoop", "all N orders pass",
        ["a loop that sleeps was held back after 3 times in a row"]
      ),
      (
        "yieldingLoop", "all N orders pass",
        ["a loop that yields was held back after 3 times in a row"]
      ),
      (
        "keepsState", "the only order passes",
        ["executions found what earlier ones had left behind, such as a static variable"]
      ),
      (
        "waitingLoop", "all N orders pass",
        ["a thread wakes without a signal at most once at each call site"]
      ),
      (
        "taskBlocks", "the only order passes",
        ["a task can block, and not all orders of narrow pools were tried"]
      ),
      (
        "tasksBlock", "all N orders pass",
        ["a task can block, and not all orders of narrow pools were tried"]
      ),
      (
        "taskWaitsWithLock", "the only order passes",
        ["a task can block, and not all orders of narrow pools were tried"]
      ),
      ("taskWaitsWithoutLock", "all N orders pass", []),
      ("taskBlocksOnNarrowPools", "the only order passes", []),
    ]
    for (body, claim, leftOut) in expected {
      let answer = try #require(try Self.answer(of: body, in: run))
      let said = answer.replacing(/^(all \d+ orders pass|the only order passes)/) {
        claim.hasPrefix("all N") ? "all N orders pass" : String($0.output.0)
      }
      #expect(said == claim + unchecked + leftOut.map { "; " + $0 }.joined(), "\(body)")
    }
    // The answer claims nothing for orders that are left.
    let few = try #require(try Self.answer(of: "fewOfManyOrders", in: run))
    #expect(few.hasPrefix("1 order tried, none failed; not all were tried"), "\(few)")
  }

  /// The answer without the time that it took.
  private static func answer(of body: String, in run: WatchedRun) throws -> String? {
    let name = "STClaims.swift"
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../WatchedTests/\(name)").standardized
    let lines = try String(contentsOf: source, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    let test = try #require(lines.firstIndex { $0.contains("func \(body)()") })
    let call = try #require(lines[test...].firstIndex { $0.contains("explore") })
    let answers = run.output.split(separator: "\n").filter {
      $0.hasPrefix("explore: ") && $0.hasSuffix("  \(name):\(call + 1)")
    }
    #expect(answers.count == 1, "\(body): \(answers)")
    return answers.first?.dropFirst("explore: ".count).firstRange(of: "; took ").map {
      String(answers[0][..<$0.lowerBound].dropFirst("explore: ".count))
    }
  }
}
