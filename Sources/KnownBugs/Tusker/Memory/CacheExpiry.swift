package import Foundation

/// How long an entry may be read after it was stored; hyperoslo Cache's `Expiry`.
package enum CacheExpiry: Sendable, Hashable {
  /// As long as it is there.
  case never
  /// For so many seconds.
  case seconds(Double)
  /// Until then.
  case date(Date)

  /// When something that is stored now will have expired; `nil` for never.
  func deadline(from now: Date) -> Date? {
    switch self {
    case .never: nil
    case .seconds(let seconds): now.addingTimeInterval(seconds)
    case .date(let date): date
    }
  }
}

/// Tells the time; tests put one of their own in its place.
package typealias CacheClock = @Sendable () -> Date
