import Explorer
public import Testing

/// Explores a test: executes it once for each order in which its threads and tasks can take steps.
public struct ExploredTrait: TestTrait, SuiteTrait, TestScoping {
  var exploration: TestExploration
  /// True while a test runs without exploration, after the reason was printed.
  @TaskLocal private static var runsAsUsual = false

  /// True: a suite passes the trait on to its tests.
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
    // A test and its suites may have several such traits. Only the first to run explores, with the
    // innermost trait's options; a trait in the source takes precedence over the option.
    guard testCase != nil, !Exploration.isExplored, !Self.runsAsUsual else {
      return try await function()
    }
    let traits = test.traits.compactMap { $0 as? Self }
    let trait = traits.last(where: \.exploration.isOfSource) ?? self
    if trait.exploration.isOfSource {
      try leaveIfOver(test)
      return try await trait.run(test, function)
    }
    guard TestsAsTheyAre.chooses("\(test.id)") else { return try await function() }
    // One test at a time: a test that runs as usual then has all processors, and holds no lock that
    // another exploration's `fork` would copy in its locked state.
    await Self.turns.take()
    defer { Self.turns.give() }
    try leaveIfOver(test)
    try await trait.run(test, function)
  }

  /// Cancels the test if a failing order of another test has ended the search.
  private func leaveIfOver(_ test: Test) throws {
    guard TestsAsTheyAre.isOver else { return }
    let reason = TestsAsTheyAre.leave(test.identifier, ExploredPlace(test.sourceLocation))
    try Test.cancel("\(reason)")
  }

  private static let turns = AsyncTurns()

  private func run(_ test: Test, _ function: @Sendable () async throws -> Void) async throws {
    let time = exploration.isOneOrder ? ".exactTime, " : ""
    let result = try await result(test, function)
    let place = ExploredPlace(test.sourceLocation)
    let isExplored = exploration.report(result, of: test.identifier, at: place) {
      "@Test(.explored(\(time)replay: \"\($0)\"))"
    }
    if !isExplored { try await Self.$runsAsUsual.withValue(true) { try await function() } }
  }

  private func result(
    _ test: Test, _ function: @Sendable () async throws -> Void
  ) async throws -> TestExploration.Result {
    let name = "\(test.sourceLocation.fileID) \(test.name)"
    let call = ExploredCall()
    return try await withoutActuallyEscaping(function) { function in
      call.function = function
      defer { call.function = nil }
      return try await onThread { () throws(ExploreError) in
        try exploration.result { options throws(ExploreError) in
          let exploration = Exploration(options, of: name, around: watchIssues, bodyIsTask: true)
          return try answer(of: exploration, self.exploration.replay) {
            attempt { try await call.function?() }
          }
        }
      }
    }
  }
}

/// A reference to the test's function. A deadlock's threads keep the reference, in the child
/// process. In this process the function must not outlive the scope.
private final class ExploredCall: @unchecked Sendable {
  // Unchecked: written only before the exploration begins and after it has ended.
  var function: (@Sendable () async throws -> Void)?
}

extension Test {
  /// The test's identifier in filters of `swift test`.
  fileprivate var identifier: String {
    "\(id.moduleName).\(id.nameComponents.joined(separator: "/"))"
  }
}

extension Trait where Self == ExploredTrait {
  /// Explores each test within a budget of 10 seconds.
  ///
  ///     @Test(.explored) func withdrawalsKeepTheBalance() async throws { … }
  ///
  /// The test needs no changes: each execution creates a new instance of the suite. Executions run
  /// in a child process. Memory that they change is lost, and crashes and left-over state stay in
  /// the child. A test that this build cannot explore runs once as usual, and the reason is
  /// printed. A trait of a test or an inner suite replaces the trait of the suite around it.
  public static var explored: Self { .explored() }

  /// Explores each test, like `explored`.
  ///
  /// - Parameters:
  ///   - options: The options of the exploration.
  ///   - replay: The token of a failure: executes only its schedule.
  /// - Returns: The trait.
  public static func explored(_ options: ExploreOption..., replay: String? = nil) -> Self {
    Self(exploration: TestExploration(options: options, replay: replay))
  }

  /// Runs each test in one order, which is always the same, in virtual time.
  ///
  ///     @Suite(.inOneOrder) struct ViewModelTests { … }
  ///
  /// Tasks, hops between actors, queues, threads and sleeps are controlled. A thread or task runs
  /// until it waits or yields; then the one that has been able to run the longest continues. Time
  /// passes only when none can continue. Other orders are not tried, so a test that passes may fail
  /// in one of them: see `explored`. The test runs three times in a child process: the first run
  /// may create state that later runs reuse, and the last one checks that both take the same steps.
  public static var inOneOrder: Self {
    Self(exploration: TestExploration(options: [.executions(1), .exactTime], isOneOrder: true))
  }
}
