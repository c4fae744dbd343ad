import ProcessInspection
import Testing
import Hangs

@testable import StressRunner

/// The effect of the wait-for graph on a verdict.
@Suite("The verdict from the wait-for graph")
struct GraphVerdictTests {
  private static let ring = WaitSnapshot(threads: [
    WaitSnapshot.Thread(
      id: 1, wait: .init(kind: .mutex, object: 2), held: [.init(kind: .mutex, object: 1)]),
    WaitSnapshot.Thread(
      id: 2, wait: .init(kind: .mutex, object: 1), held: [.init(kind: .mutex, object: 2)]),
  ])

  private static let signal = WaitSnapshot(threads: [
    WaitSnapshot.Thread(id: 1, wait: .init(kind: .semaphore, object: 9))
  ])

  private static func observation(
    _ ending: Observation.Ending, _ waits: WaitSnapshot?
  ) -> Observation {
    var observation = Observation(ending: ending, operations: 10)
    observation.seconds = 3
    observation.detectionSeconds = 2
    observation.callersInside = 2
    observation.processors = 2
    observation.waits = waits
    return observation
  }

  private static func verdict(
    _ ending: Observation.Ending, _ waits: WaitSnapshot?, oracles: [Oracle] = []
  ) -> Verdict {
    var scenario = makeScenario(callers: 10)
    scenario.oracles = oracles
    return Judge.verdict(of: observation(ending, waits), in: scenario)
  }

  @Test("A cycle in the graph is a cycle, even if calls would otherwise count as lost")
  func ringIsCycle() throws {
    let verdict = Self.verdict(.stalled, Self.ring, oracles: [.completesOnce])
    #expect(verdict.kind == .deadlock)
    #expect(verdict.cause == .cycle)
    #expect(verdict == .deadlock(.graph(try #require(Diagnosis(of: Self.ring)))))
  }

  @Test("Without a snapshot the cause follows from threads and pools")
  func withoutSnapshot() {
    #expect(Self.verdict(.stalled, nil).cause == .unknown)
  }

  @Test(
    "If some code was not seen, a pool's growth outweighs a missing signal")
  func partial() {
    var snapshot = Self.signal
    snapshot.isPartial = true
    var observation = Self.observation(.stalled, snapshot)
    observation.threads = [
      .init(
        count: 3, name: "oot.default-qos", state: "sleeping",
        stack: [DeadlockCauseTests.user[0]])
    ]
    observation.threadCounts = [.init(seconds: 0.1, threads: 2), .init(seconds: 2.9, threads: 4)]
    let verdict = Judge.verdict(of: observation, in: makeScenario(callers: 10))
    #expect(
      verdict
        == .deadlock(.pools(.dispatchPoolGrew(by: 2, workers: 3), Diagnosis(of: snapshot))))
    observation.waits = Self.signal
    #expect(
      Judge.verdict(of: observation, in: makeScenario(callers: 10)).cause == .lostWakeUp)
  }

  private static let trap = WaitSnapshot(
    threads: [WaitSnapshot.Thread(id: 7, elsewhere: .running)],
    queues: [WaitSnapshot.Queue(id: 3, label: "cache")],
    selfWait: .init(thread: 7, object: 3, traps: true))

  @Test(
    "A trap with a diagnosis is a crash of cause self; the same signal alone is only a crash"
  )
  func trapIsSelf() {
    let told = Self.verdict(.signalled(number: 4), Self.trap)
    #expect(told.kind == .crashed)
    #expect(told.cause == .self)
    #expect(told.diagnosis == Diagnosis(of: Self.trap))
    let silent = Self.verdict(.signalled(number: 4), nil)
    #expect(silent.kind == .crashed)
    #expect(silent == .crashed(.signal(4, nil, nil)))
    #expect(Self.verdict(.signalled(number: 4), Self.ring).cause == nil)
  }

  @Test("An expected cause is met by that cause only, for a crash too")
  func expectations() {
    let own = Verdict.crashed(.signal(4, nil, diagnosis(.self)))
    #expect(Expectation(verdict: .crashed, cause: .self).isMet(by: own))
    #expect(Expectation(verdict: .crashed).isMet(by: own))
    let silent = Verdict.crashed(.signal(4, nil, nil))
    #expect(!Expectation(verdict: .crashed, cause: .self).isMet(by: silent))
    // If no calls are seen, no cause of the trap can be known. The cause of a deadlock is still
    // judged.
    #expect(Expectation(verdict: .crashed, cause: .self).isMet(by: silent, seesCalls: false))
    #expect(!Expectation(verdict: .crashed, cause: .self).isMet(by: .passed, seesCalls: false))
    #expect(
      !Expectation(verdict: .deadlock, cause: .cycle).isMet(
        by: deadlock(.unknown), seesCalls: false))
  }
}
