import Foundation
import Interlock
import InterlockWatchdog
import Synchronization
import Testing
import XCTest

/// The rounds of one stress.
final class StressRun<Subject: Sendable>: Sendable {
  typealias Body = @Sendable (Subject, StressCaller) async throws -> Void

  private let plan: StressPlan
  private let subject: Subject
  private let body: Body
  private let scope: TestScope
  private let note: String
  private let hasFailed = Atomic(false)
  /// How many callers of the running round have reached the start.
  private let arrived = Atomic(0)
  /// What callers have thrown: each text is recorded once.
  private let thrown = Locked<Set<String>>([])
  /// The failures that the test of XCTest had before.
  private let failuresBefore = (currentXCTest as? XCTestCase)?.testRun?.failureCount ?? 0

  init(
    _ plan: StressPlan, _ subject: Subject, _ scope: TestScope, note: String, _ body: @escaping Body
  ) {
    self.plan = plan
    self.subject = subject
    self.scope = scope
    self.note = note
    self.body = body
  }

  /// Runs the rounds up to the first with an issue; returns how many.
  func rounds() async -> Int {
    let threads = plan.kind == .threads ? (0..<plan.callers).map(CallerThread.init) : []
    let queue = plan.kind == .queue ? CallerQueue() : nil
    defer { for thread in threads { thread.end() } }
    for round in 0..<plan.rounds {
      // Relaxed: the callers of the round begin after this.
      arrived.store(0, ordering: .relaxed)
      queue?.hold()
      await withTaskGroup(of: Void.self) { group in
        for index in 0..<plan.callers {
          let executor: (any TaskExecutor)? = plan.kind == .threads ? threads[index] : queue
          group.addTask(executorPreference: executor) { await self.attempt(index, round) }
        }
        queue?.release()
      }
      if failed || Task.isCancelled { return round + 1 }
    }
    return plan.rounds
  }

  /// Whether a round had an issue.
  var failed: Bool {
    // Relaxed: the round's tasks have ended.
    hasFailed.load(ordering: .relaxed) || scope.conflictCount > 0
      || (currentXCTest as? XCTestCase)?.testRun?.failureCount ?? 0 > failuresBefore
  }

  private func attempt(_ index: Int, _ round: Int) async {
    let caller = StressCaller(index, round: round, seed: plan.seed)
    if plan.kind == .threads { waitForStart(index, round) }
    // XCTest has no known issues; its failures are counted instead.
    guard Test.current != nil else { return await call(caller) }
    await withKnownIssue("in a stress", isIntermittent: true) {
      await call(caller)
    } matching: { issue in
      // Relaxed: read once the round's tasks have ended.
      if issue.severity >= .error { self.hasFailed.store(true, ordering: .relaxed) }
      return false
    }
  }

  /// Lets the callers of a round begin together, some a little later than others: by the seed.
  private func waitForStart(_ index: Int, _ round: Int) {
    // Relaxed: a start line, which orders nothing that callers do before or after it.
    arrived.add(1, ordering: .relaxed)
    while arrived.load(ordering: .relaxed) < plan.callers { sched_yield() }
    let draw = mixed(plan.seed ^ mixed(UInt64(index) << 40 | UInt64(round)))
    for _ in 0..<(draw & 3) * (draw >> 8 & 15) { sched_yield() }
  }

  private func call(_ caller: StressCaller) async {
    do {
      try await body(subject, caller)
    } catch {
      // Relaxed: see `attempt`.
      hasFailed.store(true, ordering: .relaxed)
      if error is CancellationError, Task.isCancelled { return }
      let text = "\(error)"
      guard thrown.withLock({ $0.insert(text).inserted }) else { return }
      recordIssue("\(caller) threw: \(text)\n\(note)", at: scope.location)
    }
  }
}
