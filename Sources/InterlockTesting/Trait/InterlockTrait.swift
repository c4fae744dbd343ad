import Foundation
import Interlock
import InterlockWatchdog
import Prediction
public import Testing

/// Watches a test. Its conflicts, potential findings and hangs become its issues.
public struct InterlockTrait: TestTrait, SuiteTrait, TestScoping {
  /// The findings that fail a test.
  public enum Failing: Sendable, Hashable {
    /// Conflicts and hangs. A potential finding is a warning.
    case observed
    /// Potential findings as well.
    case potential
  }

  let hangLimit: Duration
  let predicts: Bool
  let failing: Failing
  let leaks: Leaks

  /// True: a suite passes the trait on to its tests.
  public var isRecursive: Bool { true }

  /// Runs a test case under the watchdog.
  ///
  /// - Parameters:
  ///   - test: The test.
  ///   - testCase: One case of it; `nil` for a suite.
  ///   - function: Runs the case.
  /// - Throws: What the test throws.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    // A test and its suites may have several such traits. Only the first to run watches, with the
    // innermost trait's options.
    guard testCase != nil, TestScope.current == 0 else { return try await function() }
    let trait = test.traits.lazy.compactMap { $0 as? Self }.last ?? self
    let watch = WatchedWork.begin(
      limit: trait.hangLimit,
      note: "watched: \(test.name) at \(test.sourceLocation.fileName):\(test.sourceLocation.line)")
    defer { watch.end() }
    SectionTracking.delays = true
    let prediction =
      trait.predicts ? TestPrediction(of: test, fails: trait.failing == .potential) : nil
    if !trait.predicts { TestPrediction.leaveOut(test) }
    let scope = TestScope(at: test.sourceLocation)
    let tasks = LeftTasks(of: scope, trait.leaks)
    let result: Result<Void, any Error>
    do {
      try await scope.run { () async throws in try await function() }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await tasks?.end()
    await prediction?.end()
    try result.get()
  }
}

extension Trait where Self == InterlockTrait {
  /// Watches each test for conflicts and hangs, with a limit of 10 seconds without progress.
  ///
  ///     @Test(.interlock) func cacheIsThreadSafe() async { … }
  ///
  /// A conflict between sections becomes an issue at the line of one of them, with both stacks, and
  /// the test goes on. Near-miss delays are on from then on. A hang ends the process with code 86,
  /// after a report that names the running tests. A trait of a test or an inner suite replaces the
  /// trait of the suite around it.
  ///
  /// Tests may run in parallel. A conflict belongs to the test whose tasks, threads or blocks began
  /// the sections, or to both tests if there are two. If no test is known, the conflict belongs to
  /// the run.
  public static var interlock: Self { .interlock() }

  /// Watches each test, like `interlock`.
  ///
  /// - Parameters:
  ///   - hangLimit: The longest time without progress of the process, from 0.1 seconds. The
  ///     shortest limit of the running tests applies.
  ///   - predict: True to look for deadlocks and races that did not occur. Prediction starts with
  ///     the first such test of the process, and does not see locks created earlier. Findings in
  ///     tests without `predict` are left out.
  ///   - failOn: The findings that fail a test.
  ///   - leaks: The consequence if tasks, threads or objects that the test creates outlive it.
  /// - Returns: The trait.
  public static func interlock(
    hangLimit: Duration = .seconds(10), predict: Bool = false,
    failOn: InterlockTrait.Failing = .observed, leaks: InterlockTrait.Leaks = .ignored
  ) -> Self {
    Self(hangLimit: hangLimit, predicts: predict, failing: failOn, leaks: leaks)
  }
}
