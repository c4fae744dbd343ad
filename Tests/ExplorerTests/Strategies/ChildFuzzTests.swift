import Foundation
import StrategyTestsC
import Testing

/// How a parent reads the memory that it shares with an explored body's process.
@Suite(.enabled(if: child_fuzz_is_possible(), "this build does not explore"))
struct ChildFuzzTests {
  /// The number of inputs of each reader.
  private static let count =
    UInt64(ProcessInfo.processInfo.environment["INTERLOCK_FUZZ_INPUTS"] ?? "") ?? 100_000

  private func expectRead(_ fuzz: child_fuzz) {
    let wrong = fuzz.wrong.map { String(cString: $0) }
    #expect(wrong == nil, "input \(fuzz.wrong_number)")
    #expect(fuzz.accepted + fuzz.refused == Self.count)
    // Too few accepted or refused inputs would test nothing.
    #expect(fuzz.accepted > Self.count / 100)
    #expect(fuzz.refused > Self.count / 10)
  }

  @Test("a result that an explored body has written over is read in range, or refused")
  func results() {
    var fuzz = child_fuzz()
    child_fuzz_results(0, Self.count, &fuzz)
    expectRead(fuzz)
  }

  @Test("a log that an explored body has written over is followed as an execution, or refused")
  func logs() {
    var fuzz = child_fuzz()
    child_fuzz_logs(0, Self.count, &fuzz)
    expectRead(fuzz)
  }
}
