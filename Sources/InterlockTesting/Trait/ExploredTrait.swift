import Explorer
public import Testing

/// Explores a test: runs it once for each order in which its threads and tasks can take steps.
public struct ExploredTrait: TestTrait, SuiteTrait, TestScoping {
  var exploration: TestExploration
  /// The test runs without exploration, for a reason that has been printed.
  @TaskLocal private static var runsAsUsual = false

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
    // The test and its suites may have several such traits: the first to run explores, as the
    // innermost says; one in the source goes before the option.
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
    // A test that runs as usual has all processors, and no lock that the fork of an exploration
    // would copy as held.
    await Self.turns.take()
    defer { Self.turns.give() }
    try leaveIfOver(test)
    try await trait.run(test, function)
  }

  /// Cancels the test if another one has ended the search.
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

/// The function of a test. The executions are in a child, where the threads of a deadlock keep it;
/// in this process it must not outlive the scope.
private final class ExploredCall: @unchecked Sendable {
  // Unchecked: written before the exploration begins and after it has ended.
  var function: (@Sendable () async throws -> Void)?
}

extension Test {
  /// As filters of `swift test` find it.
  fileprivate var identifier: String {
    "\(id.moduleName).\(id.nameComponents.joined(separator: "/"))"
  }
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
    Self(exploration: TestExploration(options: options, replay: replay))
  }

  /// Runs each test in one order, the same each time, in virtual time.
  ///
  ///     @Suite(.inOneOrder) struct ViewModelTests { … }
  ///
  /// Tasks, hops between actors, queues, threads and sleeps are controlled: a thread or task runs
  /// until it waits or yields, then the one that could run for the longest time, and time passes
  /// only when none can continue. The other orders are not tried,
  /// so a test that passes may fail in one of them: see `explored`. The test runs in a child
  /// process, three times, because the first run may make what later ones use again, and the last
  /// shows that they do the same.
  public static var inOneOrder: Self {
    Self(exploration: TestExploration(options: [.executions(1), .exactTime], isOneOrder: true))
  }
}
