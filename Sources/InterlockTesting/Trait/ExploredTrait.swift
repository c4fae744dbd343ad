import Explorer
public import Testing

/// Explores a test: runs it once for each order in which its threads and tasks can take steps.
public struct ExploredTrait: TestTrait, SuiteTrait, TestScoping {
  let options: [ExploreOption]
  let replay: String?
  /// One order is all that is asked for: a test that passes says nothing.
  var isOneOrder = false

  /// A suite passes the trait on to its tests.
  public var isRecursive: Bool { true }

  /// Explores a test case, in a child process.
  ///
  /// - Parameters:
  ///   - test: The test.
  ///   - testCase: One case of it; `nil` for a suite.
  ///   - function: Runs the case.
  /// - Throws: `ExploreError` for an option that is not valid, or a token that does not fit.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    // The test and its suites may have several such traits: the innermost explores.
    guard testCase != nil, !Exploration.isExplored else { return try await function() }
    let trait = test.traits.lazy.compactMap { $0 as? Self }.last ?? self
    var options = try settings(trait.options)
    options.isIsolated = true
    let name = "\(test.sourceLocation.fileID) \(test.name)"
    let call = ExploredCall()
    let found: Answer? = try await withoutActuallyEscaping(function) { function in
      call.function = function
      defer { call.function = nil }
      do {
        return try await answer(to: options, trait.replay, of: name) { try await call.function?() }
      } catch let error as ExploreError where trait.replay == nil {
        let place = "\(test.sourceLocation.fileName):\(test.sourceLocation.line)"
        print("explore: \(error); the test runs once, as usual  \(place)")
        return nil
      }
    }
    guard let found else { return try await function() }
    if case .failed = found.outcome {} else if trait.isOneOrder { return }
    let time = trait.isOneOrder ? ".exactTime, " : ""
    report(found, test.sourceLocation) { "@Test(.explored(\(time)replay: \"\($0)\"))" }
  }
}

/// The function of a test. The executions are in a child, where the threads of a deadlock keep it;
/// in this process it must not outlive the scope.
private final class ExploredCall: @unchecked Sendable {
  // Unchecked: written before the exploration begins and after it has ended.
  var function: (@Sendable () async throws -> Void)?
}

extension Trait where Self == ExploredTrait {
  /// Explores each test, in as many orders as a budget of 10 seconds allows.
  ///
  ///     @Test(.explored) func withdrawalsKeepTheBalance() async throws { … }
  ///
  /// The test stays as it is: each execution makes the suite's instance anew. The executions are in
  /// a child process: what they write to memory is lost, and a crash, or state that an order
  /// leaves, stays there. A test that this build cannot explore runs once, with the reason. The
  /// trait of a test, or of an inner suite, replaces that of the suite around it.
  public static var explored: Self { .explored() }

  /// Explores each test, as `explored`.
  ///
  /// - Parameters:
  ///   - options: How to explore each test.
  ///   - replay: The token of a failure: only its schedule is executed.
  /// - Returns: The trait.
  public static func explored(_ options: ExploreOption..., replay: String? = nil) -> Self {
    Self(options: options, replay: replay)
  }

  /// Runs each test in one order, the same each time, in virtual time.
  ///
  ///     @Suite(.inOneOrder) struct ViewModelTests { … }
  ///
  /// Tasks, hops between actors, queues, threads and sleeps are controlled: a thread or task runs
  /// until it waits, and time passes only when none can continue. The other orders are not tried,
  /// so a test that passes may fail in one of them: see `explored`. The test runs in a child
  /// process, three times, because the first run may make what later ones use again, and the last
  /// shows that they do the same.
  public static var inOneOrder: Self {
    Self(options: [.executions(1), .exactTime], replay: nil, isOneOrder: true)
  }
}
