import Foundation
import Interlock
import Synchronization

/// The cost of a section, relative to an uncontended `NSLock` pair in a program without Interlock.
enum SectionsBench {
  /// A line of the table and its budget; the article *SectionCosts* shows both.
  private struct Line {
    var name: String
    var value: String
    var budget: String
    var isWithin: Bool
  }

  #if DEBUG
  private static let build = "debug"
  private static let budgets = [4.0, 3.0, 16.0, 10.0, 20.0]
  #else
  private static let build = "release"
  private static let budgets = [4.5, 3.0, 8.0, 6.0, 16.0]
  #endif

  /// Measures and prints the table.
  static func run() throws {
    guard SectionTracking.isCompiledIn else {
      print(
        "section tracking is not compiled in: build in debug, or with --traits SectionTracking")
      return
    }
    let yardstick = try Yardstick()
    // Start a second thread: NSLock is cheaper in a process with one thread.
    let company = Companion()
    defer { company.leave() }
    let lines = lines(yardstick) + [throughputLine()] + memoryLines()
    print(
      "sections, \(build) build; medians of interleaved runs of a program that links Interlock alone;"
        + " 1 × is an NSLock pair in one that links nothing of it")
    for line in lines {
      let name = line.name.padding(toLength: 48, withPad: " ", startingAt: 0)
      let value = String(repeating: " ", count: max(0, 10 - line.value.count)) + line.value
      print("  \(name)\(value)   \(line.budget)\(line.isWithin ? "" : "   OVER")")
    }
  }

  private static func lines(_ yardstick: Yardstick) -> [Line] {
    zip(yardstick.rows, budgets).map { row, budget in
      Line(
        name: row.name, value: String(format: "%.1f ×", row.ratio),
        budget: String(
          format: "(≤ %.1f ×; %.1f ns against %.1f ns)", budget, row.nanoseconds, yardstick.lock),
        isWithin: row.ratio <= budget)
    }
  }

  /// Throughput of two threads, each on its own resource, relative to one thread; and the same for
  /// two threads with a lock each, because a shared machine may give them less than two processors.
  private static func throughputLine() -> Line {
    let sections: [@Sendable (Int) -> Void] = [Section("bench.one"), Section("bench.two")].map {
      section in
      { turns in
        for _ in 0..<turns {
          section.begin(.noReadWrite)
          section.end(.noReadWrite)
        }
      }
    }
    // The first and the last of many locks: two adjacent allocations may share a cache line.
    let allocated = (0..<64).map { _ in NSLock() }
    let locks: [@Sendable (Int) -> Void] = [allocated[0], allocated[63]].map { lock in
      { turns in
        for _ in 0..<turns {
          lock.lock()
          lock.unlock()
        }
      }
    }
    var ratios: [(sections: Double, locks: Double)] = []
    for _ in 0..<41 {
      ratios.append((speedUp(sections), speedUp(locks)))
    }
    let ratio = Measurement.median(ratios.map(\.sections))
    let lockRatio = Measurement.median(ratios.map(\.locks))
    return Line(
      name: "two threads on two resources, throughput", value: String(format: "%.2f ×", ratio),
      budget: String(
        format: "(≥ 1.80 × of one thread; with an NSLock of its own each: %.2f ×)", lockRatio),
      isWithin: ratio >= 1.8)
  }

  /// The throughput of two threads relative to one.
  private static func speedUp(_ bodies: [@Sendable (Int) -> Void]) -> Double {
    rate(of: bodies) / rate(of: Array(bodies.prefix(1)))
  }

  /// The sum of the threads' rates in turns per nanosecond; each runs a body, and all start
  /// together.
  ///
  /// Measured by each thread's processor time, so that other processes do not affect the result.
  private static func rate(of bodies: [@Sendable (Int) -> Void]) -> Double {
    let turns = 100_000
    let done = DispatchSemaphore(value: 0)
    let rates = Rates()
    let start = StartLine(parties: bodies.count)
    for body in bodies {
      Thread {
        body(1)
        start.wait()
        let before = processorNanoseconds()
        body(turns)
        rates.add(Double(turns) / (processorNanoseconds() - before))
        done.signal()
      }.start()
    }
    for _ in bodies { done.wait() }
    return rates.sum
  }

  /// The processor time that the calling thread has used since its start.
  private static func processorNanoseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  private static func memoryLines() -> [Line] {
    guard let before = residentBytes() else { return [] }
    let count = 500_000
    var live: [Section] = []
    live.reserveCapacity(count)
    for _ in 0..<count {
      let section = Section("bench.live")
      section.write {}
      live.append(section)
    }
    let after = residentBytes() ?? before
    let each = Double(after - before) / Double(live.count)

    let threads = 200
    let growth = residentGrowth(threads: threads) { Section("bench.thread").write {} }
    let thread = Double(growth) / Double(threads) / 1024
    return [
      Line(
        name: "memory a live resource, beside its name", value: String(format: "%.0f B", each),
        budget: "(≤ 64 B)", isWithin: each <= 64),
      Line(
        name: "memory a thread", value: String(format: "%.1f KiB", thread), budget: "(≤ 8 KiB)",
        isWithin: thread <= 8),
    ]
  }

  /// The growth of resident memory after a number of live threads have run `body`.
  private static func residentGrowth(threads: Int, body: @escaping @Sendable () -> Void) -> Int {
    let ready = DispatchSemaphore(value: 0)
    let start = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    let leave = DispatchSemaphore(value: 0)
    for _ in 0..<threads {
      Thread {
        ready.signal()
        start.wait()
        body()
        done.signal()
        leave.wait()
      }.start()
    }
    for _ in 0..<threads { ready.wait() }
    let before = residentBytes() ?? 0
    for _ in 0..<threads { start.signal() }
    for _ in 0..<threads { done.wait() }
    let after = residentBytes() ?? 0
    for _ in 0..<threads { leave.signal() }
    return after - before
  }
}

/// A barrier at which threads spin until all have arrived: a thread woken from sleep would start
/// too late.
private final class StartLine: Sendable {
  private let missing: Atomic<Int>

  init(parties: Int) { missing = Atomic(parties) }

  func wait() {
    // Relaxed: it orders no data.
    missing.wrappingSubtract(1, ordering: .relaxed)
    while missing.load(ordering: .relaxed) > 0 {}
  }
}

/// A sum that several threads add to.
private final class Rates: Sendable {
  private let total = Mutex(0.0)

  func add(_ rate: Double) { total.withLock { $0 += rate } }
  var sum: Double { total.withLock { $0 } }
}
