import Foundation
import Interlock
import Synchronization

/// What a section costs, as a ratio to an uncontended `NSLock` lock and unlock in a program without
/// Interlock.
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
    // A process with one thread gets a cheaper NSLock; concurrent code never is one.
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

  /// Throughput of two threads, each on its own resource, against one thread; beside it, what two
  /// threads reach that take a lock each and share nothing, since two processors of a shared
  /// machine may be worth less than two.
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
    // Of many, the first and the last: two that are made one after the other share a cache line.
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

  /// How much more two threads do in a time than one.
  private static func speedUp(_ bodies: [@Sendable (Int) -> Void]) -> Double {
    rate(of: bodies) / rate(of: Array(bodies.prefix(1)))
  }

  /// Turns a nanosecond of threads that run a body each, all let go together; their rates are
  /// added.
  ///
  /// By each thread's own processor time: a third process that takes a processor away for a while
  /// tells nothing about what the two do to each other.
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

  /// What the calling thread has used of a processor, ever.
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

  /// How much more memory is resident once so many threads, all alive, have run `body`.
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

/// Where threads spin until all have come: woken from sleep, one would be long done before the
/// other begins.
private final class StartLine: Sendable {
  private let missing: Atomic<Int>

  init(parties: Int) { missing = Atomic(parties) }

  func wait() {
    // Relaxed: it orders nothing, it only holds them back.
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
