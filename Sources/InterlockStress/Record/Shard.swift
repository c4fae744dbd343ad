import Findings
import StressRunner

/// One of several machines that share the trials of a run.
package struct Shard: Sendable, Hashable {
  /// Its number, from 1.
  package var number: Int
  /// How many there are.
  package var count: Int

  /// The whole run.
  package static let whole = Shard(number: 1, count: 1)

  /// Whether a trial belongs to this shard. All trials of a pair of scenario and subject do, and a
  /// pair stays where it is if others are added.
  func has(_ trial: Trial) -> Bool {
    let names = [trial.scenario.name, trial.subject]
    let hash = UInt64(Finding.Key.fingerprint(of: names), radix: 16) ?? 0
    return Int((hash ^ hash >> 32) % UInt64(count)) == number - 1
  }

  /// `2/4`; `nil` if a text is no shard.
  static func read(_ text: String) -> Shard? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]),
      (1...10_000).contains(count), (1...count).contains(number)
    else { return nil }
    return Shard(number: number, count: count)
  }
}
