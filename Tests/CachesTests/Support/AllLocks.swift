import Comparison
import LockStrategies
import Testing

/// A strategy of the table that `compare` measures, and how to make a fresh lock.
struct LockCase: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var make: @Sendable () -> any Lock
  /// Whether it lets readers in together.
  private var sharesReads: Bool { type(of: make()).sharesReads }

  /// Those that let one in at a time, readers too.
  static let exclusive = excluding.filter { !$0.sharesReads }

  /// Those that let readers in together.
  static let shared = excluding.filter(\.sharesReads)

  /// Those that exclude: all but the controls, which are wrong on purpose.
  static let excluding = cases(of: StrategyEntry.builtIn.filter(\.runsUnlisted))

  /// All of them.
  static let all = cases(of: StrategyEntry.builtIn)

  private static func cases(of entries: [StrategyEntry]) -> [LockCase] {
    entries.compactMap { entry in
      entry.makeLock.map { LockCase(testDescription: entry.name, make: $0) }
    }
  }
}
