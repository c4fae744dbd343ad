import Foundation
import InterlockTesting
import TestSupport
import Testing

/// Bodies that never end, each explored in a process of its own.
@Suite("a livelock", .serialized, .controlled, .offThePool) struct LivelockTests {
  @Test(
    "ends, and is shown by its first and its last steps and a token that a reader can paste",
    arguments: ["oneThread", "twoThreads", "twoTasks", "byTrait", "isolated"])
  func report(_ name: String) throws {
    let run = try WatchedRun("swift-testing", "STLivelocks/\(name)")
    #expect(run.issues.count == 1, "\(run.issues)")
    let lines = run.issues.first?.text.split(separator: "\n").map(String.init) ?? []
    #expect(lines.contains { $0.contains("livelock: the limit of steps was reached") })
    #expect(lines.count < 80, "\(lines)")
    // The steps of the limit, and as many by a fair schedule.
    #expect(try Self.stepsLeftOut(in: lines) > 1_900_000, "\(lines)")
    // Threads of a loop can continue.
    #expect(!lines.contains("no thread can continue:"))
    let replay = try #require(lines.last { $0.contains("replay") })
    #expect(replay.count < 1000)
  }

  @Test("fails again by its token, whose schedule still fits")
  func replay() throws {
    let run = try WatchedRun("swift-testing", "STLivelocks/replayed")
    let text = run.issues.map(\.text).joined()
    #expect(text.contains("livelock: the limit of steps was reached"), "\(text)")
    #expect(!text.contains("does not fit any more"), "\(text)")
  }

  private static func stepsLeftOut(in lines: [String]) throws -> Int {
    let matches = lines.compactMap { $0.wholeMatch(of: /\s*… (\d+) steps …/) }
    let match = try #require(matches.count == 1 ? matches.first : nil)
    return try #require(Int(match.1))
  }
}
