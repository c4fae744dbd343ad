import Findings
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
  /// Returns the subject of a round.
  private let subject: @Sendable () async throws -> Subject
  private let body: Body
  /// Checks the subject after a round.
  private let finish: @Sendable (Subject) async throws -> Void
  private let scope: TestScope
  private let note: String
  private let hasFailed = Atomic(false)
  private let startLine = StartLine()
  /// The texts of the errors that callers have thrown: each is recorded once.
  private let thrown = Locked<Set<String>>([])
  /// The first failure other than a conflict, in one line.
  private let first = Locked<String?>(nil)
  /// The number of failures that the XCTest test had before the stress.
  private let failuresBefore = (currentXCTest as? XCTestCase)?.testRun?.failureCount ?? 0

  init(
    _ plan: StressPlan, _ subject: @escaping @Sendable () async throws -> Subject,
    _ scope: TestScope, note: String, _ body: @escaping Body,
    finish: @escaping @Sendable (Subject) async throws -> Void = { _ in }
  ) {
    self.plan = plan
    self.subject = subject
    self.scope = scope
    self.note = note
    self.body = body
    self.finish = finish
  }

  /// Runs rounds until one has an issue, or until a time; returns the number of rounds.
  func rounds(until end: ContinuousClock.Instant? = nil) async -> Int {
    let threads = plan.kind == .threads ? (0..<plan.callers).map(CallerThread.init) : []
    let queue = plan.kind == .queue ? CallerQueue() : nil
    defer { for thread in threads { thread.end() } }
    for round in 0..<plan.rounds {
      var made: Subject?
      await watch("making the subject") { made = try await subject() }
      guard let subject = made else { return round }
      startLine.reset()
      queue?.hold()
      await withTaskGroup(of: Void.self) { group in
        for index in 0..<plan.callers {
          let executor: (any TaskExecutor)? = plan.kind == .threads ? threads[index] : queue
          group.addTask(executorPreference: executor) { await self.attempt(index, round, subject) }
        }
        queue?.release()
      }
      if !failed { await watch("after round \(round)") { try await finish(subject) } }
      if failed || Task.isCancelled || end.map({ $0 < .now }) ?? false { return round + 1 }
    }
    return plan.rounds
  }

  /// True if a round had an issue.
  var failed: Bool {
    // Relaxed: the tasks of the round have ended.
    hasFailed.load(ordering: .relaxed) || scope.conflictCount > 0
      || (currentXCTest as? XCTestCase)?.testRun?.failureCount ?? 0 > failuresBefore
  }

  /// The first failure other than a conflict, in one line; `nil` if there is none.
  var firstFailure: String? { first.withLock { $0 } }

  private func attempt(_ index: Int, _ round: Int, _ subject: Subject) async {
    let caller = StressCaller(index, round: round, seed: plan.seed)
    if plan.kind == .threads { waitForStart(index, round) }
    await watch("\(caller)") { try await body(subject, caller) }
  }

  /// Runs work. Its issues and errors fail the round.
  private func watch(_ part: String, _ work: () async throws -> Void) async {
    // XCTest has no known issues: `failed` counts its failures instead.
    guard Test.current != nil else { return await recordErrors(part, work) }
    await withKnownIssue("in a stress", isIntermittent: true) {
      await recordErrors(part, work)
    } matching: { issue in
      if issue.severity >= .error {
        if case .expectationFailed = issue.kind,
          noteForReports(.checkFails, "\(issue)", at: issue.sourceLocation) != nil
        {
          return true
        }
        let place = issue.sourceLocation.map { " at \($0.fileName):\($0.line)" } ?? ""
        self.fail("a failed expectation\(place)")
      }
      return false
    }
  }

  private func fail(_ text: String) {
    // Relaxed: `failed` reads the flag after the tasks of the round have ended.
    hasFailed.store(true, ordering: .relaxed)
    first.withLock { $0 = $0 ?? text }
  }

  /// Lets the callers of a round begin together, with offsets of up to 23 µs that depend on the
  /// seed.
  private func waitForStart(_ index: Int, _ round: Int) {
    startLine.wait(for: plan.callers)
    let draw = mixed(plan.seed ^ mixed(UInt64(index) << 40 | UInt64(round)))
    spin(.nanoseconds(500 * Int((draw & 3) * (draw >> 8 & 15))))
  }

  private func recordErrors(_ part: String, _ work: () async throws -> Void) async {
    do {
      try await work()
    } catch {
      let text = "\(error)"
      if error is CancellationError, Task.isCancelled { return fail(text) }
      let verb = error is StressError ? ":" : " threw:"
      let isNew = thrown.withLock { $0.insert(text).inserted }
      let reason = noteForReports(.checkFails, "\(part)\(verb) \(text)", at: scope.location)
      if reason == nil { fail(text) }
      guard isNew else { return }
      recordIssue(
        "\(part)\(verb) \(text)\n\(note)", at: scope.location, knownBecause: reason)
    }
  }
}
