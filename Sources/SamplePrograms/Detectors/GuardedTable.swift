import Foundation
import Interlock

/// A dictionary of 1,024 keys under an NSLock, half of whose calls write, and each a section: what
/// a slow-down is measured on.
package final class GuardedTable: @unchecked Sendable {
  // Unchecked: `stored` is only touched under `lock`.
  private let lock = NSLock()
  private let section = Section("table")
  private var stored: [Int: Int] = [:]

  /// Makes an empty one.
  package init() {}

  /// Makes so many calls on so many threads at once, and says what one took.
  ///
  /// - Parameters:
  ///   - threads: How many.
  ///   - turns: How many calls of all together.
  ///   - marked: Whether each is a section. Where sections are not compiled in, it makes no
  ///     difference.
  /// - Returns: Nanoseconds of the clock for each call of all threads together.
  package func nanosecondsOfCall(threads: Int, turns: Int, marked: Bool = true) -> Double {
    // A process with one thread gets a cheaper NSLock; concurrent code never is one.
    let company = DispatchSemaphore(value: 0)
    Thread.detachNewThread { company.wait() }
    defer { company.signal() }
    let ended = DispatchGroup()
    let elapsed = ContinuousClock().measure {
      for _ in 0..<threads {
        ended.enter()
        Thread.detachNewThread {
          if marked {
            for turn in 0..<turns / threads { self.call(turn) }
          } else {
            for turn in 0..<turns / threads { self.unmarkedCall(turn) }
          }
          ended.leave()
        }
      }
      ended.wait()
    }
    return elapsed / .nanoseconds(1) / Double(max(1, turns / threads * threads))
  }

  private func call(_ turn: Int) {
    let key = Self.key(turn)
    lock.withLock {
      if turn & 1 == 0 {
        section.write(synched: true) { stored[key] = turn }
      } else {
        section.read(synched: true) { _ = stored[key] }
      }
    }
  }

  /// The same without marks, for a build that compiles sections in.
  private func unmarkedCall(_ turn: Int) {
    let key = Self.key(turn)
    lock.withLock {
      if turn & 1 == 0 {
        stored[key] = turn
      } else {
        _ = stored[key]
      }
    }
  }

  /// Keys in no order that a processor could foresee.
  private static func key(_ turn: Int) -> Int { turn &* 0x9E37_79B9 >> 7 & 1023 }
}
