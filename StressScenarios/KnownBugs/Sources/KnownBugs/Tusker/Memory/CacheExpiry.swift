package import Foundation

/// How long an entry may be read after it was stored; hyperoslo Cache's `Expiry`.
package enum CacheExpiry: Sendable, Hashable {
  /// Without limit.
  case never
  /// For this number of seconds.
  case seconds(Double)
  /// Until a date.
  case date(Date)

  /// When an entry stored now expires; `nil` for never.
  func deadline(from now: Date) -> Date? {
    switch self {
    case .never: nil
    case .seconds(let seconds): now.addingTimeInterval(seconds)
    case .date(let date): date
    }
  }
}

/// Returns the current time; tests replace it.
package typealias CacheClock = @Sendable () -> Date
