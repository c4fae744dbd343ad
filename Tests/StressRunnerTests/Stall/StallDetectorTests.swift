import Testing

@testable import StressRunner

/// Hand-made samples: stalls that the detector must find, and stalls that it must not find.
@Suite("The stall detector")
struct StallDetectorTests {
  typealias Thread = StallDetector.Thread

  /// The time at which a detector that is fed every 20 ms first suspects a stall; `nil` if never.
  private func suspects(
    stall: Double = 2, until end: Double = 6, every step: Double = 0.02,
    completed: (Double) -> Int = { _ in 7 },
    cpu: (Double) -> Double = { _ in 0.5 },
    wakesAt: (Double) -> Double? = { _ in nil },
    threads: (Double) -> [Thread]
  ) -> Double? {
    var detector = StallDetector(stallSeconds: stall)
    var number = 0
    while Double(number) * step <= end {
      let seconds = Double(number) * step
      number += 1
      var sample = StallDetector.Sample(
        seconds: seconds, completed: completed(seconds), cpuSeconds: cpu(seconds))
      if detector.needsThreads(completed: sample.completed, seconds: seconds) {
        sample.threads = threads(seconds)
        sample.wakesAt = wakesAt(seconds)
      }
      if detector.feed(sample) == .suspected { return seconds }
    }
    return nil
  }

  private func asleep(_ count: Int) -> [Thread] {
    (1...count).map { Thread(id: $0, isAsleep: true, switches: 10) }
  }

  @Test("The stall detector finds threads that all sleep, after the window and not before")
  func allAsleep() throws {
    let at = try #require(suspects { _ in asleep(5) })
    #expect(at >= 2 && at < 2.1)
  }

  @Test("The stall detector counts the window from the last progress")
  func progress() throws {
    let at = try #require(
      suspects(completed: { $0 < 1.5 ? Int($0 * 100) : 150 }) { _ in asleep(5) })
    #expect(at >= 3.5 && at < 3.6)
  }

  @Test("The stall detector waits for a tick of the pool's monitor, however short the window")
  func shortWindow() throws {
    let at = try #require(suspects(stall: 0.1) { _ in asleep(5) })
    #expect(at >= StallDetector.poolGrowthSeconds && at < 1.3)
  }

  @Test("The stall detector keeps to a longer window")
  func longWindow() throws {
    let at = try #require(suspects(stall: 4) { _ in asleep(5) })
    #expect(at >= 4 && at < 4.1)
  }

  @Test(
    "The stall detector allows for a pool that adds one blocked thread a second, and its monitor")
  func growingPool() throws {
    let at = try #require(
      suspects { seconds in
        asleep(4 + Int(seconds)) + [Thread(id: 99, isAsleep: true, switches: Int(seconds * 2))]
      })
    #expect(at < 3)
  }

  @Test("The stall detector allows for a new thread that is sampled before it blocks")
  func newThreadStarts() throws {
    let at = try #require(
      suspects { seconds in
        let starts = seconds >= 1.98 && seconds < 2.04
        return asleep(4)
          + (seconds >= 1.98 ? [Thread(id: 9, isAsleep: !starts, switches: 1)] : [])
      })
    #expect(at >= 2.2 && at < 3)
  }

  @Test(
    "The stall detector finds nothing while one thread is active",
    arguments: [
      ("runs, or waits for a processor", false, 0.0),
      ("sleeps, but wakes ten times a second", true, 10.0),
    ])
  func oneThreadIsNotStuck(_ what: String, isAsleep: Bool, switchesPerSecond: Double) {
    let at = suspects { seconds in
      asleep(4)
        + [Thread(id: 9, isAsleep: isAsleep, switches: Int(seconds * switchesPerSecond))]
    }
    #expect(at == nil)
  }

  @Test("The stall detector finds nothing while processor time grows")
  func processorTime() {
    #expect(suspects(cpu: { $0 * 0.5 }) { _ in asleep(5) } == nil)
  }

  @Test("The stall detector finds nothing while many threads are created")
  func manyNewThreads() {
    let at = suspects { seconds in
      (0..<5).map { Thread(id: Int(seconds * 50) + $0, isAsleep: true, switches: 1) }
    }
    #expect(at == nil)
  }

  @Test("The stall detector finds nothing while calls complete, one a second")
  func slowProgress() {
    #expect(suspects(completed: { Int($0) }) { _ in asleep(5) } == nil)
  }

  @Test("The stall detector finds nothing in samples far apart: the runner itself was starved")
  func starvedRunner() {
    #expect(suspects(until: 20, every: 0.7) { _ in asleep(5) } == nil)
  }

  @Test("The stall detector finds nothing if no threads were sampled")
  func noThreads() {
    #expect(suspects { _ in [] } == nil)
  }

  @Test("The stall detector starts again when a quiet thread has run")
  func activityThenQuiet() throws {
    let at = try #require(
      suspects { seconds in
        asleep(4)
          + [Thread(id: 9, isAsleep: true, switches: seconds < 3 ? Int(seconds * 100) : 300)]
      })
    #expect(at >= 4.1 && at < 4.5)
  }

  @Test("The stall detector continues after a first suspicion")
  func staysSuspicious() {
    var detector = StallDetector(stallSeconds: 2)
    let decisions = (0...200).map { number in
      detector.feed(
        .init(seconds: Double(number) * 0.02, completed: 0, cpuSeconds: 0, threads: asleep(2)))
    }
    #expect(decisions.last == .suspected)
    #expect(decisions.first == .going)
    #expect(detector.lastProgress == 0)
  }

  @Test("The stall detector waits for a timer, and counts the window from its expiry")
  func timer() throws {
    let at = try #require(suspects(until: 10, wakesAt: { $0 < 4 ? 4 : nil }) { _ in asleep(5) })
    #expect(at >= 6 && at < 6.5)
  }

  @Test("The stall detector remembers a timer that another hides")
  func hiddenTimer() throws {
    let at = try #require(suspects(until: 10, wakesAt: { $0 < 1 ? 4 : nil }) { _ in asleep(5) })
    #expect(at >= 6 && at < 6.5)
  }

  @Test("The stall detector forgets a timer when a call completes")
  func timerThenProgress() throws {
    let at = try #require(
      suspects(completed: { $0 < 1 ? 1 : 2 }, wakesAt: { $0 < 1 ? 60 : nil }) { _ in asleep(5) })
    #expect(at >= 3 && at < 3.1)
  }

  @Test("The stall detector requests no threads while calls complete, nor at first")
  func cheapWhileGoing() {
    var detector = StallDetector(stallSeconds: 2)
    #expect(!detector.needsThreads(completed: 0, seconds: 0))
    _ = detector.feed(.init(seconds: 0, completed: 0, cpuSeconds: 0))
    #expect(!detector.needsThreads(completed: 1, seconds: 1))
    #expect(!detector.needsThreads(completed: 0, seconds: 0.2))
    #expect(detector.needsThreads(completed: 0, seconds: 0.5))
  }
}
