import Foundation
import Synchronization

/// Work that is watched for hangs while it lasts, such as a test: the watchdog obeys the shortest
/// limit of all work that has begun and not ended.
package struct WatchedWork: Sendable {
  private struct Known {
    var seconds: Double
    var note: String
  }

  // Not `Mutex`: ThreadSanitizer reports a contended one as a race.
  private static let lock = NSLock()
  // Accessed only under that lock.
  nonisolated(unsafe) private static var known: [Int: Known] = [:]
  nonisolated(unsafe) private static var count = 0
  nonisolated(unsafe) private static var pauses = 0

  private let number: Int

  /// Watches from now on.
  ///
  /// - Parameters:
  ///   - limit: The longest time without progress of the process: 0.1 s to a day; other values are
  ///     clamped to this range.
  ///   - note: A line of a hang's report.
  /// - Returns: The work, to end the watch.
  package static func begin(limit: Duration, note: String) -> WatchedWork {
    let seconds = min(max(limit / .seconds(1), 0.1), 86_400)
    let number = lock.withLock {
      count += 1
      known[count] = Known(seconds: seconds, note: note)
      return count
    }
    HangWatchdog.startMonitor()
    return WatchedWork(number: number)
  }

  /// Ends the watch of this work.
  package func end() {
    Self.lock.withLock { _ = Self.known.removeValue(forKey: number) }
  }

  /// A pause: this process waits for a child process, whose hangs are judged separately.
  package struct Pause: Sendable {
    /// Ends the pause; hangs are judged again after the last pause.
    package func end() { WatchedWork.lock.withLock { WatchedWork.pauses -= 1 } }
  }

  /// Begins a pause, in which no hang of this process is judged.
  package static func pause() -> Pause {
    lock.withLock { pauses += 1 }
    return Pause()
  }

  /// Whether a pause lasts.
  static var isPaused: Bool { lock.withLock { pauses > 0 } }

  /// The shortest limit of all watched work, in seconds; `nil` if no work is watched.
  static var shortestLimit: Double? { lock.withLock { known.values.map(\.seconds).min() } }

  /// The notes of all watched work, in the order in which the work began.
  ///
  /// Empty if a hanging thread holds the lock.
  static var notes: [String] {
    guard lock.lock(before: Date(timeIntervalSinceNow: 1)) else { return [] }
    defer { lock.unlock() }
    return known.sorted { $0.key < $1.key }.map(\.value.note)
  }
}

/// The test of XCTest that runs now, as an `XCTestCase`; `nil` for none.
package var currentXCTest: AnyObject? { RunningTests.shared.currentXCTest }
