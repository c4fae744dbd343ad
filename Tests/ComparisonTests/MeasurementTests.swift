import Foundation
import LockStrategies
import StressRunner
import Synchronization
import TestSupport
import Testing

@testable import Comparison

/// Admits callers in a fixed ratio: a number of turns of the first caller for each turn of another.
/// A caller whose turn does not come because the round is over is admitted after a while.
///
/// `@unchecked Sendable`: all accesses are under `condition`.
final class TurnLock: Lock, @unchecked Sendable {
  private let condition = NSCondition()
  private let turnsOfFirst: Int
  private var first: Thread?
  private var left: Int

  init(turnsOfFirst: Int) {
    self.turnsOfFirst = turnsOfFirst
    left = turnsOfFirst
  }

  func withLock<R>(_ body: () throws -> R) rethrows -> R {
    condition.lock()
    defer { condition.unlock() }
    let me = Thread.current
    if first == nil { first = me }
    let patience = Date(timeIntervalSinceNow: 0.1)
    while (first === me) != (left > 0), condition.wait(until: patience) {}
    left = left > 0 ? left - 1 : turnsOfFirst
    condition.broadcast()
    return try body()
  }
}

/// A lock whose critical section is longer than its user's.
struct SlowLock: Lock {
  /// The length of the critical section, in turns of `burn`.
  let turns: Int
  private let lock = NSLock()

  init(turns: Int) { self.turns = turns }

  func withLock<R>(_ body: () throws -> R) rethrows -> R {
    try lock.withLock {
      burn(turns)
      return try body()
    }
  }
}

/// Sleeps in one of its calls.
final class SlowOnce: SynchronousWork {
  private let calls = Atomic(0)

  func perform(_ calls: CallRing, _ range: Range<Int>) -> Tally {
    for _ in range where self.calls.add(1, ordering: .relaxed).newValue == 20 {
      Thread.sleep(forTimeInterval: 0.06)
    }
    return Tally()
  }

  func lost(of writes: Int) -> Int { 0 }
}

/// A lock that never returns while it is held.
final class HeldWork: SynchronousWork {
  let gate = DispatchSemaphore(value: 0)

  func perform(_ calls: CallRing, _ range: Range<Int>) -> Tally {
    gate.wait()
    gate.signal()
    return Tally()
  }

  func lost(of writes: Int) -> Int { 0 }
}

private func measured(
  _ work: Work, _ cell: Cell, seconds: Double = 0.05, pace: Pace = Pace(callsEach: 8)
) throws -> RoundFigures {
  let rings = CellCalls(cell, seed: 1).rings
  var round = Round(driver: cell.driver, pace: pace, seconds: seconds)
  // Other tests may use all threads of a pool for as long as they run.
  round.patienceSeconds = 600
  guard case .measured(let figures) = round.run(work, rings, rings.map { _ in Caller() }) else {
    throw Stuck()
  }
  return figures
}

private struct Stuck: Error {}

private let small = Cell(threads: 2, reads: 50, sectionNanoseconds: 0, keys: 1)

@Suite("A measured round", .serialized, .offThePool)
struct MeasurementTests {
  @Test(
    "A measured round finds no fault with any correct strategy, with every driver",
    arguments: StrategyEntry.builtIn.filter(\.runsUnlisted).map(\.name))
  func right(name: String) throws {
    let entry = try #require(StrategyEntry.builtIn.first { $0.name == name })
    for driver in Workload.Driver.allCases {
      var cell = small
      cell.driver = driver
      cell.threads = 4
      var figures = RoundFigures(operations: 0, seconds: 1)
      // Other tests may use all threads of the pool for a while.
      for _ in 0..<600 where figures.operations == 0 {
        figures = try measured(entry.makeWork(SharedTable(keys: 2, burns: 20)), cell)
        #expect(figures.faults == 0, "\(driver)")
      }
      #expect(figures.operations > 0 && figures.timed > 0 && figures.threads > 0)
      #expect(figures.fairness > 0.24 && figures.fairness <= 1.000001)
      let points = LatencyPoint.allCases.compactMap { figures.latencies[$0] }
      #expect(points.count == 5 && points == points.sorted())
      #expect(figures.longestWait >= figures.latencies[.max] ?? .max)
    }
  }

  @Test("A measured round finds the faults of a missing lock, also in a build without sections")
  func noLock() throws {
    let entry = try #require(StrategyEntry.builtIn.first { $0.name == "no-lock" })
    // The callers stay in the critical section, so that a preempted caller overlaps the other one.
    // The scheduler determines how many rounds that takes.
    for _ in 0..<100 {
      let figures = try measured(entry.makeWork(SharedTable(keys: 1, burns: 20_000)), small)
      if figures.faults > 0 { return }
    }
    Issue.record("two callers never met")
  }

  @Test(
    "A measured round calls a lock that prefers a caller unfair, and an alternating lock fair"
  )
  func fairness() throws {
    let table = SharedTable(keys: 1, burns: 0)
    let unfair = try measured(
      .synchronous(LockedTable(TurnLock(turnsOfFirst: 20), table)), small, seconds: 0.3)
    // 20 of 21: Jain's index is 21² / (2 × (20² + 1)).
    #expect(unfair.fairness < 0.7 && unfair.largestShare > 0.8, "\(unfair)")
    let fair = try measured(
      .synchronous(LockedTable(TurnLock(turnsOfFirst: 1), SharedTable(keys: 1, burns: 0))), small,
      seconds: 0.3, pace: Pace())
    #expect(fair.fairness > 0.97 && fair.largestShare < 0.6, "\(fair)")
  }

  @Test(
    "A measured round counts an open load's latencies from when calls are due"
  )
  func coordinatedOmission() throws {
    var cell = small
    cell.threads = 1
    let open = try measured(
      .synchronous(SlowOnce()), cell, seconds: 0.2, pace: Pace(interval: 1_000_000))
    // 60 ms are 60 calls, one per millisecond, and all but ten are late by more than 10 ms: more
    // than one in a hundred calls, also in a round that a busy machine makes ten times as long.
    #expect(open.latencies[.p99] ?? 0 > 10_000_000)
    #expect(Double(open.operations) <= open.seconds * 1000 + 2)
    // A closed load counts the pause once. On a busy machine the caller may get too little time for
    // a hundred calls, so the round is repeated.
    for _ in 0..<50 {
      let closed = try measured(.synchronous(SlowOnce()), cell, seconds: 0.2, pace: Pace())
      #expect(closed.longestWait >= 60_000_000)
      if closed.latencies[.p99] ?? .max < 1_000_000 { return }
    }
    Issue.record("a closed load counted one slow call as a hundredth of its calls")
  }

  @Test("A round of an open load has its length times the rate of calls, not one more")
  func dueCalls() {
    for callers in [1, 3, 4, 16] {
      let interval = 1_000_000 * callers
      for length in stride(from: 5_000_000, through: 250_000_000, by: 333_333) {
        let due = (0..<callers).reduce(0) { sum, number in
          let first = Round.offset(of: number, among: callers, every: interval)
          return sum + (first > length ? 0 : (length - first) / interval + 1)
        }
        #expect(abs(Double(due) - Double(length) / 1_000_000) <= 0.51, "\(callers), \(length)")
      }
    }
    #expect(Round.offset(of: 3, among: 4, every: 0) == 0)
  }

  @Test("A measured round shows the longest wait even if few calls are timed")
  func longestWait() throws {
    var cell = small
    cell.threads = 1
    // The slow call is not the timed call of its stretch.
    let figures = try measured(.synchronous(SlowOnce()), cell, pace: Pace(callsEach: 64))
    #expect(figures.longestWait >= 60_000_000)
  }

  @Test("A measured round reports how many callers did not return")
  func stuck() {
    // A caller that comes after the end of the round makes no call. The scheduler determines how
    // many rounds it takes until both callers are in time.
    for _ in 0..<100 {
      let work = HeldWork()
      defer { work.gate.signal() }
      let rings = CellCalls(small, seed: 1).rings
      var round = Round(driver: .threads, pace: Pace(), seconds: 0.05)
      round.patienceSeconds = 0.1
      let result = round.run(.synchronous(work), rings, [Caller(), Caller()])
      if case .stuck(callers: 2) = result { return }
    }
    Issue.record("not stuck")
  }

  @Test("A measured round times few of the quick calls and all slow calls")
  func pace() {
    #expect(Pace(callOf: 100_000, clock: 50).callsEach == 1)
    #expect(Pace(callOf: 100, clock: 50).callsEach == 50)
    #expect(Pace(callOf: 1, clock: 50).callsEach == 512)
    #expect(Pace(callOf: .nan, clock: 50).callsEach >= 1)
  }

  @Test(
    "A comparison is complete, and a strategy that fails during measurement loses its rank"
  )
  func whole() throws {
    let entries = ["nslock", "serial-queue", "no-lock"].compactMap { name in
      StrategyEntry.builtIn.first { $0.name == name }
    }
    var cell = small
    cell.sectionNanoseconds = 10_000
    let plan = try MeasurementPlan(
      cells: 1, contestants: 3, seconds: 3, rounds: 20, seed: 1)
    let start = ContinuousClock.now
    let measurer = Measurer(
      [cell], calls: { CellCalls($0, seed: 1) }, entries.map { Contestant($0) }, plan, rate: nil,
      into: ComparisonRecord(
        strategies: entries.map { .init(name: $0.name, summary: $0.summary) }, seed: 1,
        roundSeconds: plan.roundSeconds, plannedRounds: plan.rounds))
    var done: [Int] = []
    let isWhole = measurer.run(until: 1e9, now: { (ContinuousClock.now - start) / .seconds(1) }) {
      done.append($0.done)
      return true
    }
    #expect(isWhole && done == Array(1...63))
    let record = measurer.result
    #expect(record.ranked == ["nslock", "serial-queue"])
    #expect(record.strategies[2].fault?.verdict == "race")
    #expect(Ranking(record.cells[0], of: record).lines.count == 2)
    #expect(record.completeRounds == 20)
  }

  @Test("A measured round gives one order, three times, for strategies that differ")
  func repeated() throws {
    // Each critical section is many times as long as the previous one, which exceeds any effect of
    // load.
    let entries =
      StrategyEntry.builtIn.filter { $0.name == "nslock" }
      + [(name: "slow", turns: 10_000), (name: "slower", turns: 200_000)].map { name, turns in
        StrategyEntry.lock(name, "longer inside") { SlowLock(turns: turns) }
      }
    for seed in 1...3 as ClosedRange<UInt64> {
      let plan = try MeasurementPlan(cells: 1, contestants: 3, seconds: 3, rounds: 20, seed: seed)
      let measurer = Measurer(
        [small], calls: { CellCalls($0, seed: 1) }, entries.map { Contestant($0) }, plan, rate: nil,
        into: ComparisonRecord(
          strategies: entries.map { .init(name: $0.name, summary: $0.summary) }, seed: seed,
          roundSeconds: plan.roundSeconds, plannedRounds: plan.rounds))
      #expect(measurer.run(until: 1e9, now: { 0 }) { _ in true })
      let found = measurer.result.cells[0].entries
      for (one, other) in zip(found, found.dropFirst()) {
        #expect(RoundPair(one, to: other).verdict == .faster, "\(one) against \(other)")
      }
    }
  }

  @Test("A measurement ends when goesOn returns false, with the rounds so far")
  func interrupted() throws {
    let entries = StrategyEntry.builtIn.filter { $0.name == "nslock" || $0.name == "mutex" }
    let plan = try MeasurementPlan(cells: 1, contestants: 2, seconds: 2, rounds: 8, seed: 1)
    let measurer = Measurer(
      [small], calls: { CellCalls($0, seed: 1) }, entries.map { Contestant($0) }, plan, rate: nil,
      into: ComparisonRecord(
        strategies: entries.map { .init(name: $0.name, summary: $0.summary) }, seed: 1,
        roundSeconds: plan.roundSeconds, plannedRounds: plan.rounds))
    let isWhole = measurer.run(until: 1e9, now: { 0 }) { $0.done < 7 }
    #expect(!isWhole)
    #expect(measurer.result.cells[0].entries.map(\.rounds.count).sorted() == [2, 3])
  }

  @Test("A measured round knows how many bytes a lock takes")
  func bytes() throws {
    #if os(Linux)
    let mutex = try #require(StrategyEntry.builtIn.first { $0.name == "mutex" })
    let isSanitized = dlsym(nil, "__tsan_init") != nil
    guard !isSanitized else {
      // A sanitizer's allocator does not report it.
      #expect(Contestant(mutex).bytesPerLock == nil)
      return
    }
    var bytes = try #require(Contestant(mutex).bytesPerLock)
    // Other tests of this process allocate and free memory meanwhile.
    for _ in 0..<200 where !(64...128).contains(bytes) {
      bytes = try #require(Contestant(mutex).bytesPerLock)
    }
    // An object with a header, a pointer and the 40 bytes of a mutex, each with the overhead of the
    // allocator.
    #expect((64...128).contains(bytes), "\(bytes)")
    #endif
  }
}
