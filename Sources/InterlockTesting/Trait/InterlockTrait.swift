import Foundation
import Interlock
import InterlockWatchdog
import Prediction
public import Testing

/// Watches a test: its conflicts, potential findings and hangs become its issues.
public struct InterlockTrait: TestTrait, SuiteTrait, TestScoping {
  /// The findings that fail a test.
  public enum Failing: Sendable, Hashable {
    /// Conflicts and hangs. A potential finding is a warning.
    case observed
    /// Potential findings too.
    case potential
  }

  let hangLimit: Duration
  let predicts: Bool
  let failing: Failing
  let leaks: Leaks

  /// A suite passes the trait on to its tests.
  public var isRecursive: Bool { true }

  /// Runs a test case, watched.
  ///
  /// - Parameters:
  ///   - test: The test.
  ///   - testCase: One case of it; `nil` for a suite.
  ///   - function: Runs the case.
  /// - Throws: What the test throws.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    // Of several, of the test and its suites, the first to run watches, as the innermost says.
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
  /// after its report has named the tests that had begun. The trait of a test, or of an inner
  /// suite, replaces that of the suite around it.
  ///
  /// Tests may run in parallel. A conflict belongs to the test whose tasks, threads or blocks began
  /// the sections, or to both tests if two did. It belongs to the run if its test is not known.
  public static var interlock: Self { .interlock() }

  /// Watches each test, as `interlock`.
  ///
  /// - Parameters:
  ///   - hangLimit: The longest time without progress of the process, from 0.1 seconds; the
  ///     shortest limit of the tests that run is obeyed.
  ///   - predict: Whether to look for deadlocks and races that did not occur, from the first such
  ///     test of the process on: it does not see locks that were made before. What a test without
  ///     it shows is left out.
  ///   - failOn: The findings that fail a test.
  ///   - leaks: What happens if tasks, threads or objects that the test has made outlive it.
  /// - Returns: The trait.
  public static func interlock(
    hangLimit: Duration = .seconds(10), predict: Bool = false,
    failOn: InterlockTrait.Failing = .observed, leaks: InterlockTrait.Leaks = .ignored
  ) -> Self {
    Self(hangLimit: hangLimit, predicts: predict, failing: failOn, leaks: leaks)
  }
}
