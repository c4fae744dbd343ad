import Explorer
import Findings
import StressRunner

/// One of several machines that share the trials of a run.
package struct Shard: Sendable, Hashable, CustomStringConvertible {
  /// The number of the shard, from 1.
  package var number: Int
  /// The number of shards.
  package var count: Int

  /// The whole run.
  package static let whole = Shard(number: 1, count: 1)

  /// `shard 2 of 4`.
  package var description: String { "shard \(number) of \(count)" }

  /// True if a trial belongs to this shard. All trials of a pair of scenario and subject belong to
  /// one shard, and the shard of a pair does not change if other pairs are added. An exploration
  /// belongs to every shard, which explores a part of it.
  func has(_ trial: Trial) -> Bool {
    if trial.explore != nil { return true }
    let names = [trial.scenario.name, trial.subject]
    let hash = UInt64(Finding.Key.fingerprint(of: names), radix: 16) ?? 0
    return Int((hash ^ hash >> 32) % UInt64(count)) == number - 1
  }

  /// The trial as this shard runs it: an exploration covers only the shard's part of the orders.
  func own(_ trial: Trial) -> Trial {
    var trial = trial
    if self != .whole {
      trial.explore?.options.part = ExplorationOptions.Part(number: number, count: count)
    }
    return trial
  }

  /// Parses `2/4`; `nil` if the text is not a shard.
  static func read(_ text: String) -> Shard? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]),
      (1...10_000).contains(count), (1...count).contains(number)
    else { return nil }
    return Shard(number: number, count: count)
  }
}
