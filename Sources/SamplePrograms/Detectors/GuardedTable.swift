import Foundation
import Interlock

/// A dictionary of 1,024 keys under an NSLock, for measuring slow-downs: half of the calls write,
/// and each call is a section.
package final class GuardedTable: @unchecked Sendable {
  // Unchecked: `stored` is accessed under `lock` only.
  private let lock = NSLock()
  private let section = Section("table")
  private var stored: [Int: Int] = [:]

  /// Makes an empty table.
  package init() {}

  /// Makes calls on several threads at once, and returns the time of one.
  ///
  /// - Parameters:
  ///   - threads: The number of threads.
  ///   - turns: The number of calls of all threads together.
  ///   - marked: Whether each call is a section. It has no effect if sections are not compiled in.
  /// - Returns: Elapsed nanoseconds per call of all threads together.
  package func nanosecondsOfCall(threads: Int, turns: Int, marked: Bool = true) -> Double {
    // Start a second thread: NSLock is cheaper in a process with one thread, which concurrent code
    // never is.
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

  /// The same call without marks, for a build that compiles sections in.
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

  /// Keys in an order that a processor cannot predict.
  private static func key(_ turn: Int) -> Int { turn &* 0x9E37_79B9 >> 7 & 1023 }
}
