import Explorer
import Foundation
import Interlock
import Synchronization
import TestSupport
import Testing
import TrackedModel
import Hangs

/// A counter whose sections claim that `lock` protects it.
private final class Counter: @unchecked Sendable {
  // Unchecked: the sections are under test.
  private let lock = NSLock()
  private var value = 0

  var current: Int { lock.withLock { value } }

  func addLocked() { lock.withLock { add() } }

  func add() {
    BEGIN_LOCK(.noReadWrite, "explored counter", of: self)
    value += 1
    END_LOCK(.noReadWrite, "explored counter", of: self)
  }
}

extension Shelf {
  private static let locked = Mutex(0)

  fileprivate func countLocked() -> Int { Self.locked.withLock { $0 } }
}

private func inTwoBlocks(_ work: @escaping @Sendable (Counter) -> Void) -> Bool {
  let counter = Counter()
  let group = DispatchGroup()
  for _ in 0..<2 { DispatchQueue.global().async(group: group) { work(counter) } }
  group.wait()
  return counter.current == 2
}

/// Two tests run in separate processes: they need the order of all threads, and other code of this
/// process can hide that for good.
@Suite("an explored race", .serialized, .controlled, .offThePool)
struct RaceTests {
  private func explore(_ body: @escaping () -> Bool) throws -> ExplorationOutcome {
    try Exploration(ExplorationOptions(), of: "RaceTests").run(body)
  }

  private func failure(_ outcome: ExplorationOutcome) throws -> ExplorationFailure {
    try #require(outcome.failure, "\(outcome)")
  }

  @Test("sections whose order was hidden are not decided, which the answer says once")
  func blind() throws {
    let run = try WatchedRun("swift-testing", "ExploredBlind/", of: "CheckedTests")
    #expect(run.status == 0 && run.issues.isEmpty, "\(run.issues)\(run.output)")
    let answers = run.output.split(separator: "\n").filter { $0.hasPrefix("explore: ") }
    #expect(answers.count == 2, "\(answers)")
    #expect(answers.allSatisfy { $0.hasPrefix("explore: all 2 orders") }, "\(answers)")
    let blind = answers.filter {
      $0.contains(
        "; races of sections that do not overlap are NOT decided: a thread ran more than 16 blocks")
    }
    #expect(blind.count == 1 && blind == [answers.last], "\(answers)")
  }

  @Test(
    "a race is found in child processes as in this one, and its locked twin is finished")
  func inChildren() async {
    await #expect(processExitsWith: .success) {
      let tests = RaceTests()
      var options = ExplorationOptions()
      (options.isIsolated, options.isolatesEach) = (true, true)
      let isolated = Exploration(options, of: "RaceTests")
      let racy = { inTwoBlocks { $0.add() } }
      let here = try tests.failure(tests.explore(racy))
      let found = try tests.failure(isolated.run(racy))
      let race = try #require(found.race?.ofSections)
      #expect(race.first.place == here.race?.ofSections?.first.place)
      #expect(race.overlapped == here.race?.ofSections?.overlapped)
      #expect(found.execution == here.execution)
      #expect(found.repetition == .fails)
      guard case .allOrdersPass = try isolated.run({ inTwoBlocks { $0.addLocked() } }) else {
        Issue.record("the twin was not finished")
        return
      }
    }
  }

  @Test("a child process may take longer for its report than for an order")
  func slowReport() async {
    await #expect(processExitsWith: .success) {
      var options = ExplorationOptions()
      options.isIsolated = true
      options.seconds = 0.1
      var exploration = Exploration(options, of: "RaceTests")
      let arrived = Atomic(false)
      exploration.state = ExploredState(
        save: {
          // The report of a race can take as long on a busy machine; an order gets four seconds.
          Thread.sleep(forTimeInterval: 5)
          return [7]
        }, load: { arrived.store($0 == [7], ordering: .relaxed) })
      _ = try exploration.run { inTwoBlocks { $0.addLocked() } }
      let hasArrived = arrived.load(ordering: .relaxed)
      #expect(hasArrived)
    }
  }

  @Test("an explored race has both sides with their lines and stacks, and its token replays it")
  func race() throws {
    let body = { inTwoBlocks { $0.add() } }
    let found = try failure(explore(body))
    let race = try #require(found.race?.ofSections)
    #expect(race.resource.hasPrefix("explored counter"))
    for side in [race.first, race.second] {
      #expect(side.place.file.hasSuffix("RaceTests.swift"))
      #expect(side.place.line == 21)
      #expect(side.thread.hasPrefix("thread "))
      #expect(side.stack.contains { $0.file?.hasSuffix("RaceTests.swift") == true })
      #expect(!side.stack.contains { $0.file?.contains("/Sources/") == true }, "\(side.stack)")
    }
    #expect(race.first.thread != race.second.thread)
    #expect(found.report.contains("RaceTests.swift:21: "))
    #expect(found.report.contains("write section"))
    let replayed = try failure(
      Exploration(ExplorationOptions(), of: "RaceTests").replay(found.token, body))
    #expect(replayed.race?.ofSections?.first.place == race.first.place)
  }

  @Test("sections that a lock orders are no race, and every order is claimed")
  func lockedTwin() throws {
    let outcome = try explore { inTwoBlocks { $0.addLocked() } }
    guard case .allOrdersPass(let count, 0, _) = outcome else {
      Issue.record("not all orders pass")
      return
    }
    #expect(count == 2)
  }

  @Test("the rest of the process does not check the order of sections after an exploration")
  func isOver() throws {
    _ = try explore { inTwoBlocks { $0.addLocked() } }
    #expect(!SectionTracking.followsOrder)
    _ = try explore { inTwoBlocks { $0.add() } }
    // Other tests of this process record conflicts too.
    #expect(!SectionTracking.conflicts.contains { $0.fullName.hasPrefix("explored counter") })
  }

  @Test("an exploration names uncontrolled code, and none in a module without such code")
  func claim() throws {
    let own = try #require(Exploration.uncontrolledCode(inModule: "InterlockTestingTests"))
    let form = /(Mutex|atomics) in module InterlockTestingTests \(\w+Tests\.swift:\d+\)/
    #expect(own.wholeMatch(of: form) != nil, "\(own)")
    // This module extends `Shelf` of `TrackedModel` by such code; `TrackedModel` does not reach it.
    #expect(Shelf().countLocked() == 0)
    #expect(Exploration.uncontrolledCode(inModule: "TrackedModel") == nil)
  }

  @Test("an update that is lost between two locked regions of a Mutex is found, without an option")
  func mutex() throws {
    final class Shared: Sendable { let value = Mutex(0) }
    let outcome = try explore {
      let shared = Shared()
      let group = DispatchGroup()
      for _ in 0..<2 {
        DispatchQueue.global().async(group: group) {
          let old = shared.value.withLock { $0 }
          shared.value.withLock { $0 = old + 1 }
        }
      }
      group.wait()
      return shared.value.withLock { $0 } == 2
    }
    let report = try failure(outcome).report
    #expect(report.contains("lock"), "\(report)")
  }

  @Test("sections that a Mutex may order are no race, and the answer names them")
  func undecided() async {
    await #expect(processExitsWith: .success) {
      final class Shared: Sendable { let value = Mutex(0) }
      let outcome = try RaceTests().explore {
        let shared = Shared()
        return inTwoBlocks { counter in shared.value.withLock { _ in counter.add() } }
      }
      guard case .sampled(_, _, let escaped, _) = outcome else {
        Issue.record("not sampled: \(outcome)")
        return
      }
      #expect(escaped.contains { $0.hasPrefix("what orders the sections at") })
    }
  }
}
