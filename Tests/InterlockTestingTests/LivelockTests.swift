import Foundation
import InterlockTesting
import TestSupport
import Testing

/// Bodies that never end, each explored in a separate process.
@Suite("a livelock", .serialized, .controlled, .offThePool) struct LivelockTests {
  @Test(
    "the report of a livelock has its first and last steps and a token that a reader can paste",
    arguments: ["oneThread", "twoThreads", "twoTasks", "byTrait", "isolated"])
  func report(_ name: String) throws {
    let run = try WatchedRun("swift-testing", "STLivelocks/\(name)")
    #expect(run.issues.count == 1, "\(run.issues)")
    let lines = run.issues.first?.text.split(separator: "\n").map(String.init) ?? []
    #expect(lines.contains { $0.contains("livelock: the limit of steps was reached") })
    #expect(lines.count < 80, "\(lines)")
    // The steps up to the limit, and as many by a fair schedule.
    #expect(try Self.stepsLeftOut(in: lines) > 1_900_000, "\(lines)")
    // The threads of a loop can continue.
    #expect(!lines.contains("no thread can continue:"))
    let replay = try #require(lines.last { $0.contains("replay") })
    #expect(replay.count < 1000)
  }

  @Test("a livelock fails again by its token, whose schedule still fits")
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
