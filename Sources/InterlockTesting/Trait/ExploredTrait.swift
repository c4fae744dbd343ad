import Explorer
public import Testing

/// Explores a test: runs it once for each order in which its threads and tasks can take steps.
public struct ExploredTrait: TestTrait, SuiteTrait, TestScoping {
  let options: [ExploreOption]
  let replay: String?
  /// One order is all that is asked for: a test that passes says nothing.
  var isOneOrder = false
  /// The source of the test has the trait. Otherwise the option `explore` adds it.
  var isOfSource = true
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
    let trait = traits.last(where: \.isOfSource) ?? self
    if trait.isOfSource { return try await trait.run(test, function) }
    // A test that runs as usual has all processors, and no lock that the fork of an exploration
    // would copy as held.
    await Self.turns.take()
    defer { Self.turns.give() }
    try await trait.run(test, function)
  }

  private static let turns = AsyncTurns()

  private func run(_ test: Test, _ function: @Sendable () async throws -> Void) async throws {
    let place = "\(test.sourceLocation.fileName):\(test.sourceLocation.line)"
    switch try await explored(test, function) {
    case .refused(let reason, let details):
      print("explore: \(details ?? reason); the test runs once, as usual  \(place)")
      TestsAsTheyAre.note(.once(reason))
      try await Self.$runsAsUsual.withValue(true) { try await function() }
    case .explored(let answer):
      TestsAsTheyAre.note(answer.standing)
      if case .failed = answer.outcome {} else if isOneOrder { return }
      let time = isOneOrder ? ".exactTime, " : ""
      report(answer, test.sourceLocation) { "@Test(.explored(\(time)replay: \"\($0)\"))" }
    }
  }

  private enum Result {
    case explored(Answer)
    case refused(_ reason: String, details: String? = nil)
  }

  private func explored(
    _ test: Test, _ function: @Sendable () async throws -> Void
  ) async throws -> Result {
    var options = try settings(options)
    options.isIsolated = true
    if isOneOrder { options.strategy = .inTurn }
    if isOfSource || isOneOrder { return try await explored(test, options, function) }
    // Many tests wait for a time, or have a limit that is meant to be long enough. What fails only
    // where a time is late has a place of its own.
    options.seconds /= 2
    options.hasExactTime = true
    let exact = try await explored(test, options, function)
    guard case .explored(let answer) = exact, answer.leavesOutLateTimes else { return exact }
    options.hasExactTime = false
    guard case .explored(var late) = try await explored(test, options, function) else {
      return exact
    }
    late.onlyLateTimes = true
    return .explored(late)
  }

  private func explored(
    _ test: Test, _ options: ExplorationOptions, _ function: @Sendable () async throws -> Void
  ) async throws -> Result {
    var options = options
    options.leavesDoubts = !isOfSource
    let name = "\(test.sourceLocation.fileID) \(test.name)"
    let call = ExploredCall()
    return try await withoutActuallyEscaping(function) { function in
      call.function = function
      defer { call.function = nil }
      do {
        let answer = try await answer(to: options, replay, of: name) { try await call.function?() }
        if !isOfSource, case .failed(let failure) = answer.outcome, let doubt = failure.doubt {
          return .refused(doubt.reason, details: doubt.details)
        }
        return .explored(answer)
      } catch let error as ExploreError where replay == nil {
        return .refused(error.description)
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
  /// until it waits or yields, then the one that could run for the longest time, and time passes
  /// only when none can continue. The other orders are not tried,
  /// so a test that passes may fail in one of them: see `explored`. The test runs in a child
  /// process, three times, because the first run may make what later ones use again, and the last
  /// shows that they do the same.
  public static var inOneOrder: Self {
    Self(options: [.executions(1), .exactTime], replay: nil, isOneOrder: true)
  }
}
