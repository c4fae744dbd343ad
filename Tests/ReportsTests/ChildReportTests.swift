import Foundation
import StressRunner
import Testing
import Hangs

@testable import Reports

/// Reports of a child with numbers and texts that no honest child sends.
///
/// A subject shares its process with the code that reports, so it can send any event.
@Suite("A report of what a hostile child sends")
struct ChildReportTests {
  /// The fields of an observation that come from the child; the runner observes the others.
  private static let sent: Set<String> = [
    "conflicts", "coverage", "exploration", "memory", "misuses", "oracleFailures", "prediction",
    "script", "undecidedOracles", "waits",
  ]

  private static let texts = ["", Hangs.hostile, String(repeating: "x", count: 5000)]

  /// A value with some of its numbers, texts and lists replaced: `rate` of 256 of them.
  private static func mutated(_ value: Any, _ random: inout SplitMix64, rate: Int) -> Any {
    switch value {
    case let members as [String: Any]:
      // Sorted: a dictionary's order differs from process to process.
      return Dictionary(
        uniqueKeysWithValues: members.sorted { $0.key < $1.key }.map {
          ($0.key, mutated($0.value, &random, rate: rate))
        })
    case let list as [Any]:
      let changed = list.map { mutated($0, &random, rate: rate) }
      guard random.next(below: 256) < rate / 4 else { return changed }
      return random.next(below: 2) == 0 ? [] : changed + changed
    default:
      guard random.next(below: 256) < rate else { return value }
      if value is String { return texts[random.next(below: texts.count)] }
      // Booleans are numbers too, but cannot be decoded from other numbers.
      guard let number = value as? NSNumber, !isBoolean(number) else { return value }
      let numbers: [Any] = [Int.max, Int.min, 0, -1, Int(Int32.max), UInt64.max, 1e300, -1e300]
      return numbers[random.next(below: numbers.count)]
    }
  }

  private static func isBoolean(_ number: NSNumber) -> Bool {
    String(cString: number.objCType) == "c"
  }

  /// The result of an observation that the child has changed; `nil` if its events are refused.
  private static func result(
    of sample: TrialResult, _ random: inout SplitMix64, rate: Int
  ) throws -> TrialResult? {
    let json = try JSONEncoder().encode(sample.observation)
    var members = try #require(JSONSerialization.jsonObject(with: json) as? [String: Any])
    for key in members.keys.sorted() where sent.contains(key) {
      members[key] = members[key].map { mutated($0, &random, rate: rate) }
    }
    guard
      var seen = try? JSONDecoder().decode(
        Observation.self, from: JSONSerialization.data(withJSONObject: members))
    else { return nil }
    // The runner does this on receipt.
    seen.waits = seen.waits?.bounded
    return Samples.judged(sample.trial, seen)
  }

  @Test("Extreme numbers and texts in a child's events are formatted, and do not end the runner")
  func extremes() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let samples = Faults.all + [ScheduleSample.result, Hangs.likely, Hangs.result(Hangs.trap)]
      var accepted = 0
      for seed in 0..<(Int(ProcessInfo.processInfo.environment["SEEDS"] ?? "") ?? 8) {
        for (index, sample) in samples.enumerated() {
          var random = SplitMix64(seed: UInt64(seed), at: index)
          for rate in [2, 8, 40, 256] {
            guard let result = try Self.result(of: sample, &random, rate: rate) else { continue }
            accepted += 1
            for format in ReportFormat.all {
              _ = format.make(ReportSettings()).text(
                [result], of: [result.trial], seconds: 1, Faults.context)
            }
          }
        }
      }
      if accepted < 100 {
        FileHandle.standardError.write(Data("only \(accepted) were accepted".utf8))
        exit(3)
      }
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said == "")
  }
}
