import Comparison
import LockStrategies
import Testing

/// A strategy of the table that `compare` measures, and how to make a lock.
struct LockCase: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var make: @Sendable () -> any Lock
  /// True if the strategy has shared access.
  private var sharesReads: Bool { type(of: make()).sharesReads }

  /// The strategies without shared access.
  static let exclusive = excluding.filter { !$0.sharesReads }

  /// The strategies with shared access.
  static let shared = excluding.filter(\.sharesReads)

  /// The strategies that exclude other callers: all but the controls.
  static let excluding = cases(of: StrategyEntry.builtIn.filter(\.runsUnlisted))

  /// All strategies.
  static let all = cases(of: StrategyEntry.builtIn)

  private static func cases(of entries: [StrategyEntry]) -> [LockCase] {
    entries.compactMap { entry in
      entry.makeLock.map { LockCase(testDescription: entry.name, make: $0) }
    }
  }
}
