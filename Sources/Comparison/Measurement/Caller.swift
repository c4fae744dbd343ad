import StressRunner
import Synchronization

/// One caller of a round: makes its calls until the stop flag is set, and records their durations.
///
/// The caller reads the clock before and after the first call of each stretch, so the percentiles
/// are those of a sample. The readings also give the duration of the stretch's other calls
/// together, so no long wait is missed.
///
/// `@unchecked Sendable`: one thread or task at a time uses it, ordered by a queue, the task or the
/// end of the round; `done` is atomic.
final class Caller: @unchecked Sendable {
  /// How many calls are made: written by the caller, and read at the end of the round while the
  /// caller may still run.
  let done = Atomic(0)
  /// The results of the calls.
  private(set) var tally = Tally()
  /// The durations of the timed calls.
  private(set) var histogram = LatencyHistogram()
  /// The longest time between two readings of the clock: an upper bound of a call's duration.
  private(set) var longestStretch = 0
  /// The threads on which it ran.
  private(set) var threads: Set<UInt> = []

  private var calls = CallRing([Call(kind: 0, key: 0)])
  private var place = 0
  private var made = 0
  private var pace = Pace()
  /// When the next call is due, if the load is open.
  private var due = 0

  /// Resets the caller for a round.
  ///
  /// - Parameters:
  ///   - calls: The caller's calls.
  ///   - pace: How often the clock is read.
  ///   - offset: How long after its start the first call is due, if the load is open.
  func prepare(_ calls: CallRing, _ pace: Pace, offset: Int) {
    self.calls = calls
    self.pace = pace
    done.store(0, ordering: .relaxed)
    tally = Tally()
    histogram.reset()
    longestStretch = 0
    threads = []
    place = 0
    made = 0
    due = -offset
  }

  /// Makes calls until the flag is set, or for about `limit` nanoseconds.
  func run(on work: any SynchronousWork, until stop: StopFlag, atMost limit: Int = .max) {
    let began = enter()
    var now = began
    while !stop.isSet, now &- began < limit {
      let stretch = nextStretch()
      if let interval = pace.interval {
        guard waitUntilDue(interval, stop) else { return }
        add(work.perform(calls, stretch.first))
        noteOpen(interval, until: Clock.now)
        now = Clock.now
        continue
      }
      let start = Clock.now
      note(stretchFrom: now, to: start)
      add(work.perform(calls, stretch.first))
      now = Clock.now
      noteTimed(now &- start)
      if !stretch.rest.isEmpty { add(work.perform(calls, stretch.rest)) }
      publish(stretch.count)
    }
    note(stretchFrom: now, to: Clock.now)
  }

  /// Makes calls and awaits each, until the flag is set or for about `limit` nanoseconds.
  func run(on work: any AsynchronousWork, until stop: StopFlag, atMost limit: Int = .max) async {
    let began = enter()
    var now = began
    while !stop.isSet, now &- began < limit {
      let stretch = nextStretch()
      let start = Clock.now
      note(stretchFrom: now, to: start)
      add(await work.perform(calls, stretch.first))
      now = Clock.now
      noteTimed(now &- start)
      if !stretch.rest.isEmpty { add(await work.perform(calls, stretch.rest)) }
      publish(stretch.count)
    }
    note(stretchFrom: now, to: Clock.now)
  }

  private func enter() -> Int {
    threads.insert(threadIdentity)
    let now = Clock.now
    if due <= 0 { due = now &- due }
    return now
  }

  /// The calls up to the next reading of the clock: the timed one, and those after it.
  private func nextStretch() -> (first: Range<Int>, rest: Range<Int>, count: Int) {
    let count = pace.interval == nil ? min(pace.callsEach, calls.count) : 1
    if place + count > calls.count { place = 0 }
    let start = place
    place += count
    return (start..<start + 1, start + 1..<start + count, count)
  }

  private func add(_ more: Tally) {
    tally.writes &+= more.writes
    tally.broken &+= more.broken
  }

  private func noteTimed(_ nanoseconds: Int) {
    histogram.record(nanoseconds)
    if nanoseconds > longestStretch { longestStretch = nanoseconds }
  }

  private func note(stretchFrom start: Int, to end: Int) {
    if end &- start > longestStretch { longestStretch = end &- start }
  }

  private func publish(_ count: Int) {
    made &+= count
    // Relaxed: the count orders no other data.
    done.store(made, ordering: .relaxed)
  }

  /// Counts from the time when the call was due, not when it was made: a call delayed by the one
  /// before is late for its user too. This is the correction for coordinated omission (Gil Tene).
  private func noteOpen(_ interval: Int, until end: Int) {
    noteTimed(end &- due)
    due &+= interval
    publish(1)
  }

  /// Sleeps for most of the time, and polls the clock for the rest; `false` if the round ends
  /// first.
  private func waitUntilDue(_ interval: Int, _ stop: StopFlag) -> Bool {
    let slack = 60_000
    while !stop.isSet {
      let left = due &- Clock.now
      if left <= 0 { return true }
      if left > slack { Clock.sleep(nanoseconds: min(left - slack, 1_000_000)) }
    }
    return false
  }
}

/// Signals the end of a round to all callers.
final class StopFlag: Sendable {
  private let flag = Atomic(false)

  // Relaxed: callers may see it late, and it publishes no data.
  var isSet: Bool { flag.load(ordering: .relaxed) }
  func set() { flag.store(true, ordering: .relaxed) }
}
