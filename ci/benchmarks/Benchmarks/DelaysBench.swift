import Foundation
import Interlock

/// The cost of near-miss delays for a correctly locked dictionary whose accesses are sections,
/// relative to the same without delays and without sections in the same run.
enum DelaysBench {
  /// Measures and prints the table.
  static func run() {
    guard SectionTracking.isCompiledIn else {
      print(
        "section tracking is not compiled in: build in debug, or with --traits SectionTracking")
      return
    }
    // Start a second thread: NSLock is cheaper in a process with one thread.
    let company = Companion()
    defer { company.leave() }
    let were = SectionTracking.delays
    defer { SectionTracking.delays = were }
    print(
      "near-miss delays, on a dictionary of 1,024 keys under an NSLock, half of the calls write")
    print("medians of interleaved rounds; the budget is 1.5 ×")
    let (_, difference) = UnseenCalls.measure { for threads in [2, 1] { measure(threads) } }
    print("  " + difference)
  }

  private static func measure(_ threads: Int) {
    let table = LockedTable()
    let rows: [Measurement.Row] = [
      .init(name: "no sections") { turns in
        table.work(threads: threads, turns: turns, marked: false)
      },
      .init(name: "sections") { turns in
        SectionTracking.delays = false
        table.work(threads: threads, turns: turns, marked: true)
      },
      .init(name: "sections and delays") { turns in
        SectionTracking.delays = true
        table.work(threads: threads, turns: turns, marked: true)
      },
    ]
    let before = SectionTracking.delayCounts
    let measured = Measurement(rows, rounds: 25, turns: 100_000)
    SectionTracking.delays = false
    let counts = SectionTracking.delayCounts
    let ratio = measured.ratio(2, to: 1)
    print(
      String(
        format:
          "  %d thread%@: %.2f × of sections without delays (%.0f ns against %.0f ns a call;"
          + " %.2f × of no sections)%@",
        threads, threads == 1 ? " " : "s", ratio, measured.median(2), measured.median(1),
        measured.ratio(2, to: 0), ratio <= 1.5 ? "" : "   OVER"))
    print(
      "             \(counts.delays - before.delays) delays,"
        + " \((counts.microseconds - before.microseconds) / 1000) ms of"
        + " \(Int(measured.total(2) * 100_000 / 1e6)) ms in all;"
        + " pairs: \(counts.dropped - before.dropped) dropped, \(counts.armed) armed")
  }
}

/// A dictionary under a lock, with or without marks.
private final class LockedTable: @unchecked Sendable {
  // Unchecked: `stored` is only touched under `lock`.
  private let lock = NSLock()
  private let section = Section("bench.table")
  private var stored: [Int: Int] = [:]

  func work(threads: Int, turns: Int, marked: Bool) {
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<threads {
      Thread {
        for turn in 0..<turns / threads {
          if marked {
            self.markedCall(turn)
          } else {
            self.lock.withLock { self.call(turn) }
          }
        }
        done.signal()
      }.start()
    }
    for _ in 0..<threads { done.wait() }
  }

  private func markedCall(_ turn: Int) {
    lock.withLock {
      if turn & 1 == 0 {
        section.write(synched: true) { call(turn) }
      } else {
        section.read(synched: true) { call(turn) }
      }
    }
  }

  private func call(_ turn: Int) {
    // Keys in an order that a processor cannot predict.
    let key = turn &* 0x9E37_79B9 >> 7 & 1023
    if turn & 1 == 0 {
      stored[key] = turn
    } else {
      _ = stored[key]
    }
  }
}
