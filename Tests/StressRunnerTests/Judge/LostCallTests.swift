import Interlock
import Testing

@testable import StressRunner
import ProcessInspection

/// Calls that were accepted and that no thread will complete.
@Suite("A call that is never completed")
struct LostCallTests {
  private static let runnersFile = {
    OwnCode.register(OwnCode.stressRunner)
    let folder = OwnCode.stressRunner.first { $0.part == .runner }?.folder ?? ""
    return folder + "/Workload/PhaseRun.swift"
  }()
  private static let driver = StackFrame(
    address: 1, function: "PhaseRun.waitUntilAllCompleted()",
    file: runnersFile, line: 77)
  private static let user = StackFrame(
    address: 2, function: "Cache.get(_:)", file: "/a/Cache.swift", line: 42)
  private static let wait = StackFrame(
    address: 3, function: "__futex_wait", image: "libc.so.6")
  private static let idle = StackFrame(
    address: 4, function: "_dispatch_worker_thread", image: "libdispatch.so")

  private func verdict(
    _ stacks: [[StackFrame]], oracles: [Oracle] = [.completesOnce], waiting: Int = 0
  ) -> Verdict {
    var scenario = makeScenario(callers: 10)
    scenario.oracles = oracles
    var observation = Observation(ending: .stalled, operations: 10)
    observation.completed = 9
    observation.callersInside = 1
    observation.callersWaiting = waiting
    observation.threads = stacks.map {
      .init(count: 1, name: "", state: "sleeping", stack: $0)
    }
    return Judge.verdict(of: observation, in: scenario)
  }

  @Test("A lost call is a violation if no thread is outside the runner's code")
  func lost() {
    #expect(
      verdict([[Self.wait, Self.driver], [Self.wait, Self.idle]])
        == .violation(.lostCalls(1, nil)))
  }

  @Test("A call that never completes is a deadlock if a thread is blocked in the subject's code")
  func blocked() {
    #expect(
      verdict([[Self.wait, Self.driver], [Self.wait, Self.user, Self.driver]]).kind == .deadlock)
  }

  @Test(
    "no call of a deadlock counts as lost with cut stacks, a waiting caller or without the oracle")
  func undecided() {
    let lost = [[Self.wait, Self.driver], [Self.wait, Self.idle]]
    let cut = StackFrame(
      address: 5, function: "DispatchSemaphore.wait(wallTimeout:)", image: "libswiftDispatch.so")
    #expect(verdict(lost + [[Self.wait, cut]]).kind == .deadlock)
    #expect(verdict(lost + [[]]).kind == .deadlock)
    #expect(verdict(lost, waiting: 1).kind == .deadlock)
    #expect(verdict(lost, oracles: []).kind == .deadlock)
  }
}
