import Foundation
import ProcessInspection
import Reports
import StressRunner
import Testing
import Hangs

@testable import InterlockStress

/// The command that reproduces the deadlocks of the thousand reads.
struct DeadlocksCommandTests {
  @Test("'deadlocks' tries pools of 2, 64 and 255 threads, and shows a row for each cache")
  func widths() throws {
    let test = try TestWorld()
    test.moreSubjects = SubjectEntry.builtIn
    test.verdict = { trial in
      trial.subject.contains("lock") || trial.subject == "mutex"
        ? .any(.passed) : .any(.deadlock, cause: .starvation)
    }
    test.subjects = ["good"]
    var world = test.ownWorld
    world.processor = "none"
    #expect(world.perform(["deadlocks"]) == .met)
    let widths = Set([2, 64, 255, world.host.cores])
    #expect(Set(test.trials.compactMap(\.scenario.poolWidth)) == widths)
    #expect(test.trials.count == 4 * widths.count)
    let text = test.output.text
    #expect(text.contains("\n  semaphore-lock        passed"))
    #expect(text.contains("\n  serial-queue-sync     deadlock, 1000 of 1000"))
    #expect(text.contains("\nserial-queue-sync on a pool of 64 threads: deadlock (starvation)\n"))
    #expect(text.contains("\n    - waitForCallback { value(forKey: key, completion: $0) }\n"))
  }

  @Test("'deadlocks' says that a deadlock is reproduced only if the exploration has found one")
  func reproduced() throws {
    for (verdict, isReproduced) in [
      (Verdict.any(.deadlock, cause: .starvation), true), (.any(.crashed), false), (.passed, false),
      (.any(.undecided), false), (.any(.timedOut), false),
    ] {
      let test = try TestWorld()
      test.verdict = { $0.explore == nil ? .any(.deadlock, cause: .starvation) : verdict }
      let path = test.folder + "/StressScenarios/reads.json"
      #expect(
        test.world.perform(["deadlocks", path, "--subject", "good", "--pool-width", "2"])
          == .unmet)
      #expect(test.trials.last?.explore != nil)
      let text = test.output.text
      #expect(text.contains("\ngood on a pool of 2 threads: deadlock (starvation)\n"))
      #expect(text.contains("reproduced without luck") == isReproduced, "\(text)")
      #expect(
        text.contains("interlock explore \(path) --subject good --pool-width 2\n")
          == isReproduced, "\(text)")
    }
  }

  @Test("'deadlocks' ends with 1 if a cache deadlocks without an expectation of the scenario")
  func unexpected() throws {
    let test = try TestWorld()
    test.subjects = []
    test.moreSubjects = [.cache("mine", "my cache") { UnusedCache() }]
    test.verdict = { _ in .any(.deadlock, cause: .starvation) }
    var world = test.ownWorld
    world.processor = "none"
    #expect(world.perform(["deadlocks", "--pool-width", "3"]) == .unmet)
    #expect(test.trials.map(\.scenario.poolWidth) == [3])
  }

  @Test("'deadlocks' ends with 1 if nothing was judged, and with 64 if the environment has errors")
  func nothingJudged() throws {
    let test = try TestWorld()
    test.subjects = []
    test.moreSubjects = [.cache("mine", "my cache") { UnusedCache() }]
    test.verdict = { _ in .any(.skipped) }
    var world = test.ownWorld
    world.processor = "none"
    #expect(world.perform(["deadlocks"]) == .unmet)
    #expect(test.errors.text.contains("error: nothing was judged: all "))
    world.optionErrors = ["'bogus' is no option"]
    #expect(world.perform(["deadlocks"]) == .usage)
    #expect(world.perform(["pool", "concurrent-reads", "--subject", "mine"]) == .usage)
  }

  @Test("'deadlocks' refuses a build that cannot set the width of its pools")
  func blind() throws {
    let test = try TestWorld()
    var world = test.ownWorld
    world.sight = .sanitized
    #expect(world.perform(["deadlocks"]) == .usage)
    #expect(test.errors.text.contains("ThreadSanitizer is built in"))
    #expect(test.trials.isEmpty)
  }

  @Test("'deadlocks' without a cache says how to name subjects")
  func nothing() throws {
    let test = try TestWorld()
    try test.write(
      test.read("StressScenarios/reads.json")
        .replacing("\"reads\"", with: "\"concurrent-reads\""), "own.json")
    #expect(test.run("deadlocks") == .usage)
    #expect(test.errors.text.contains("name subjects by '--subject <name>'"))
  }

  @Test(
    "'interlock deadlocks' draws the pool, and names the threads that would free it",
    .disabled(if: Platform.isUnderThreadSanitizer, "nothing is interposed under ThreadSanitizer"))
  func real() throws {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let folder = URL(fileURLWithPath: own).deletingLastPathComponent()
    let process = Process()
    let pipe = Pipe()
    process.executableURL = folder.appending(path: "interlock")
    process.arguments = ["deadlocks", "--pool-width", "64"]
    process.currentDirectoryURL = BuiltInScenariosTests.root
    process.standardOutput = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)")
    #expect(text.contains("\n  mutex                 passed\n"))
    #expect(text.contains("█  64 wait for the block"))
    #expect(text.contains("\n  frees it from here: "))
    #expect(text.contains("nor within Apple's limit of 64 threads\n"))
    #expect(text.contains(" (deadlock (starvation), order 1): interlock explore concurrent-reads"))
  }
}

struct StarvationPictureTests {
  @Test("no bar of the picture of 'deadlocks' is longer than 32 marks")
  func widest() {
    for (ahead, count) in [(0, 934), (936, 64), (3, 1)] {
      let needed = Diagnosis.Starvation.NeededBlocks(
        queue: 1, count: count, ahead: ahead, waiters: [], isOwn: true)
      let pool = Diagnosis.Starvation(
        pool: .main, workers: [.thread(1)], threads: 1, mostThreads: 1, queues: [],
        queued: ahead + count)
      let bars = StarvationPicture(pool, needed).lines.map { line in
        line.count { "█░▒".contains($0) }
      }
      #expect(bars.max() == 32)
    }
  }
}

/// A cache that no trial makes.
private final class UnusedCache: Cache {
  func value(forKey key: String) -> [UInt8]? { nil }
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {}
  func removeValue(forKey key: String) {}
  func removeAllValues() {}
  var count: Int { 0 }
}
