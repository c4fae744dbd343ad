import CInterlockAnalysis
import CInterlockEvents
import Foundation
import InterlockStress
import ProcessInspection
import Reports
import StressRunner

/// The cost of interposing the calls that wait and wake: without a reader, and with the wait table
/// on.
enum EventsBench {
  /// Measures and prints the table. The wait table then stays on in this process, so run other
  /// benches before.
  static func run() throws {
    guard interlock_events_available() == INTERLOCK_EVENTS_ALL,
      let real = RealMutex()
    else {
      print("the calls that wait and wake are not seen in this build")
      return
    }
    // Start a second thread: locks are cheaper in a process with one thread.
    let company = Companion()
    defer { company.leave() }
    let unread = Measurement(rows(real), rounds: 31, turns: 20_000)
    let unreadContended = Measurement(contendedRows(real), rounds: 15, turns: 1000)
    let (bare, difference) = UnseenCalls.measure {
      Measurement(rows(real), rounds: 31, turns: 20_000)
    }
    guard !interlock_waits_started(), interlock_waits_start() else {
      print("the wait table is on already: nothing can be measured without it")
      return
    }
    let read = Measurement(rows(real), rounds: 31, turns: 20_000)
    // A kind of event that the measured calls do not publish.
    let kinds = INTERLOCK_EVENT_CONFIGURE.rawValue
    let reader: interlock_reader = { _, _ in }
    _ = interlock_events_add(reader, nil, kinds)
    let besides = Measurement(rows(real), rounds: 31, turns: 20_000)
    interlock_events_remove(reader, nil)
    print("synchronisation events; medians of interleaved rounds")
    print("no reader, against the C library's own functions")
    let more = unread.difference(1, to: 0)
    line(
      "uncontended lock + unlock", String(format: "%+.1f ns", more),
      "(≤ +3 ns a call, so +6 ns a pair; \(nanoseconds(unread, 1)) against \(nanoseconds(unread, 0)))",
      more <= 6)
    let contended = unreadContended.ratio(1, to: 0)
    line(
      "lock + unlock, two threads", String(format: "%.2f ×", contended),
      String(
        format: "(its own noise: the same code twice is %.2f × to %.2f ×)",
        unreadContended.ratioRange(2, to: 0).lowerBound,
        unreadContended.ratioRange(2, to: 0).upperBound), true)
    print("wait table on, against a process without Interlock")
    // Dividing by the real pair, which no reader sees, cancels changes of the machine's speed.
    let lock = (read.median(2) / read.median(0)) / (bare.median(2) / bare.median(0))
    line(
      "NSLock, lock + unlock", String(format: "%.2f ×", lock),
      "(≤ 2 ×; \(nanoseconds(read, 2)) against \(nanoseconds(bare, 2)))", lock <= 2)
    print("  " + difference)
    let beside = (besides.median(2) / besides.median(0)) / (read.median(2) / read.median(0))
    line(
      "beside a reader of other events",
      String(format: "%.2f ×", beside), "(≤ 1.1 ×; \(nanoseconds(besides, 2)))", beside <= 1.1)
    print("wait table on in a trial, against the same trial without it")
    for subject in ["semaphore-lock", "mutex"] {
      let ratio = try trialRatio(on: subject)
      line(
        "1,000 reads with 50 rounds on '\(subject)'", String(format: "%.2f ×", ratio),
        "(≤ 1.10 ×)",
        ratio <= 1.1)
    }
  }

  /// The C library's mutex pair, the interposed one, and an `NSLock`'s.
  private static func rows(_ real: RealMutex) -> [Measurement.Row] {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    let own = RealMutex.interposed
    let lock = NSLock()
    return [
      .init(name: "the C library's") { turns in
        for _ in 0..<turns {
          _ = real.lock(mutex)
          _ = real.unlock(mutex)
        }
      },
      .init(name: "interposed") { turns in
        for _ in 0..<turns {
          _ = own.lock(mutex)
          _ = own.unlock(mutex)
        }
      },
      .init(name: "NSLock") { turns in
        for _ in 0..<turns {
          lock.lock()
          lock.unlock()
        }
      },
    ]
  }

  /// Two threads at one mutex: the real calls, the interposed ones, and the real ones again.
  private static func contendedRows(_ real: RealMutex) -> [Measurement.Row] {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    let own = RealMutex.interposed
    func body(_ lock: @escaping RealMutex.Call, _ unlock: @escaping RealMutex.Call) -> (Int) -> Void
    {
      { turns in
        let address = UInt(bitPattern: mutex)
        let threads = (0..<2).map { _ in
          DedicatedThread {
            guard let mutex = UnsafeMutableRawPointer(bitPattern: address) else { return }
            // Hold the lock much longer than the calls take: otherwise one thread acquires it a
            // hundred times before the other sees it free, and the lock is hardly contended.
            var work = 1
            for _ in 0..<turns {
              _ = lock(mutex)
              for step in 0..<2000 { work = work &* 31 &+ step }
              _ = unlock(mutex)
            }
            withExtendedLifetime(work) {}
          }
        }
        for thread in threads { thread.join() }
      }
    }
    return [
      .init(name: "the C library's", body: body(real.lock, real.unlock)),
      .init(name: "interposed", body: body(own.lock, own.unlock)),
      .init(name: "the C library's again", body: body(real.lock, real.unlock)),
    ]
  }

  /// How much longer a passing trial takes with the wait table on in its child.
  private static func trialRatio(on subject: String) throws -> Double {
    try trialRatio(on: subject) { isOn in
      (isOn ? [:] : [TrialHost.eventsVariable: "off"], false)
    }
  }

  /// How much longer a passing trial takes with a feature on in its child. `setUp` turns the
  /// feature on, by the environment and by whether the child predicts.
  static func trialRatio(
    on subject: String, setUp: (Bool) -> (environment: [String: String], predicts: Bool)
  ) throws -> Double {
    let scenario = Scenario(
      name: "bench", summary: "Reads.", source: "concurrent-reads",
      workload: Workload(
        driver: .dispatchQueue,
        phases: [.init(callers: 1000, rounds: 50, operations: .sequence([.get]))], keys: 1,
        valueBytes: 1024, preparesAllKeys: true, seed: 1),
      limits: Limits(), oracles: [.completesOnce, .valuesIntact], expectations: [:])
    func seconds(_ isOn: Bool) throws -> Double {
      let set = setUp(isOn)
      var trial = Trial(scenario: scenario, subject: subject, seed: 1)
      trial.predicts = set.predicts
      return try TrialsBench.seconds(of: trial, environment: set.environment)
    }
    return Measurement.median(
      try (0..<15).map { _ in
        try seconds(true) / seconds(false)
      })
  }

  static func line(_ name: String, _ value: String, _ budget: String, _ isWithin: Bool) {
    let name = name.padding(toLength: 46, withPad: " ", startingAt: 0)
    let value = String(repeating: " ", count: max(0, 10 - value.count)) + value
    print("  \(name)\(value)   \(budget)\(isWithin ? "" : "   OVER")")
  }

  static func nanoseconds(_ measurement: Measurement, _ row: Int) -> String {
    String(format: "%.1f ns", measurement.median(row))
  }
}
