import Foundation
import Testing

@testable import StressRunner
import WaitGraph

@Suite(
  "A pool of another width",
  .disabled(if: Platform.isUnderThreadSanitizer, "nothing is interposed under ThreadSanitizer"))
struct PoolWidthTests {
  private func result(_ subject: String, width: Int) throws -> TrialResult {
    var scenario = makeScenario(callers: 20, driver: .dispatchQueue)
    scenario.poolWidth = width
    var runner = TrialRunner(jobs: 1)
    runner.executable = childExecutable
    var result: TrialResult?
    _ = runner.run([makeTrial(subject, scenario)]) {
      if case .finished(_, let found) = $0 { result = found }
    }
    return try #require(result)
  }

  @Test("lets the same calls starve or complete")
  func width() throws {
    let starved = try result("semaphore-over-async", width: 2)
    #expect(starved.verdict.kind == .deadlock)
    #expect(starved.verdict.cause == .starvation)
    let wide = try result("semaphore-over-async", width: 64)
    #expect(wide.verdict.kind == .passed)
  }

  @Test("that is no number ends the process with one line")
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
