import Foundation
import Testing

@testable import StressRunner
import ProcessInspection
import Hangs

@Suite(
  "A pool of another width",
  .disabled(if: Platform.isUnderThreadSanitizer, "nothing is interposed under ThreadSanitizer"))
struct PoolWidthTests {
  private func result(
    _ subject: String, callers: Int = 100, driver: Workload.Driver = .dispatchQueue, width: Int?,
    stall: Double = 2
  ) throws -> TrialResult {
    var scenario = makeScenario(callers: callers, driver: driver, stall: stall)
    scenario.poolWidth = width
    var runner = TrialRunner(jobs: 1)
    runner.executable = childExecutable
    var result: TrialResult?
    _ = runner.run([makeTrial(subject, scenario)]) {
      if case .finished(_, let found) = $0 { result = found }
    }
    return try #require(result)
  }

  @Test("The pool width decides whether the same calls starve or complete")
  func width() throws {
    let starved = try result("semaphore-over-async", width: 2)
    #expect(starved.verdict.kind == .deadlock)
    #expect(starved.verdict.cause == .starvation)
    let wide = try result("semaphore-over-async", width: 128)
    #expect(wide.verdict.kind == .passed)
  }

  @Test(
    "The reported number of threads is one for each call and one more, which suffices",
    arguments: [400, 600])
  func advice(_ callers: Int) throws {
    let subject = "semaphore-over-async"
    let stuck = try result(subject, callers: callers, width: nil)
    let pool = try #require(stuck.observation.waits.flatMap { Diagnosis(of: $0) }?.pool)
    #expect(pool.needed == callers + 1)
    let enough = try result(subject, callers: callers, width: callers + 1)
    #expect(enough.verdict.kind == .passed, "\(enough.verdict)")
    let few = try result(subject, callers: callers, width: 64)
    #expect(few.verdict.kind == .deadlock, "\(few.verdict)")
    #expect(few.verdict.cause == .starvation)
  }

  @Test("Callers behind a block on a serial queue starve for certain, before the stall window")
  func held() throws {
    let subject = "sync-behind-async"
    let stuck = try result(subject, callers: 600, width: nil, stall: 60)
    let diagnosis = try #require(stuck.observation.waits.flatMap { Diagnosis(of: $0) })
    #expect(diagnosis.certainty == .certainIfBlocksAreAlike)
    #expect(try #require(stuck.observation.detectionSeconds) < 60)
    // The first call finds no block on the queue.
    #expect(try #require(diagnosis.pool?.needed) + stuck.observation.completed == 601)
    let enough = try result(subject, callers: 600, width: 601)
    #expect(enough.verdict.kind == .passed, "\(enough.verdict)")
    let few = try result(subject, callers: 600, width: 64)
    #expect(few.verdict.kind == .deadlock, "\(few.verdict)")
  }

  @Test("Blocks that a queue held back starve for certain, as libdispatch's list has their order")
  func heldBack() throws {
    let stuck = try result("held-back", callers: 1, driver: .threads, width: 1, stall: 20)
    let diagnosis = try #require(stuck.observation.waits.flatMap { Diagnosis(of: $0) })
    let needed = try #require(diagnosis.pool?.needed)
    // The pool's only thread passes on all blocks before it begins the first of them. If it is
    // interrupted, another thread begins it, and the needed block comes before some of the others.
    #expect(needed <= 600)
    guard case .starvation(let starvation) = diagnosis.evidence else {
      Issue.record("\(diagnosis.evidence)")
      return
    }
    // One of the 600 blocks has run, and has submitted the needed block.
    #expect(starvation.threads + starvation.queued == 600)
    if needed > 255 {
      #expect(diagnosis.certainty == .certainIfBlocksAreAlike)
      #expect(try #require(stuck.observation.detectionSeconds) < 20)
    } else {
      #expect(diagnosis.certainty == .doubtful(.poolGrows))
    }
    let enough = try result("held-back", callers: 1, driver: .threads, width: 600)
    #expect(enough.verdict.kind == .passed, "\(enough.verdict)")
  }

  @Test("A pool that grows to the needed number of threads is slow, not a deadlock")
  func slow() throws {
    let slow = try result("semaphore-over-async", callers: 5, width: 1)
    #expect(slow.verdict.kind == .passed, "\(slow.verdict)")
  }

  @Test("A pool width that is not a number ends the process with one line")
  func wrong() throws {
    let process = Process()
    let errors = Pipe()
    process.executableURL = URL(fileURLWithPath: childExecutable)
    process.environment = ["INTERLOCK_POOL_WIDTH": "all\u{1B}"]
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(
      text
        == "interlock: INTERLOCK_POOL_WIDTH must be a whole number from 1 to 1024, found 'all?'\n")
    #expect(process.terminationStatus == 64)
  }
}
