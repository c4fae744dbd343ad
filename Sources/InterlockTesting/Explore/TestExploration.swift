import Explorer
import Findings
import Testing

/// The exploration of an unchanged test, requested by a trait, a base class or the option
/// `explore`.
struct TestExploration: Sendable {
  var options: [ExploreOption] = []
  var replay: String?
  /// True if only one order is requested. A passing test then reports nothing.
  var isOneOrder = false
  /// True if the test's source requests the exploration; false if the option does.
  var isOfSource = true
  /// True if a failure that may have a cause other than the order makes the test run as usual.
  var leavesDoubts = false

  enum Result: Sendable {
    case explored(Answer)
    case refused(_ reason: String, details: String? = nil)
  }

  /// Explores on the calling thread, which waits.
  ///
  /// - Parameter body: Explores in a child process with the options passed to it.
  /// - Returns: The result.
  /// - Throws: `ExploreError` for an option that is not valid, or a token that does not fit.
  func result(
    _ body: (ExplorationOptions) throws(ExploreError) -> Answer
  ) throws(ExploreError) -> Result {
    var options = try settings(options)
    options.isIsolated = true
    options.leavesDoubts = leavesDoubts
    // Limit the chosen steps, so that several orders fit into the budget even if a test loops until
    // another task ends the loop.
    if replay == nil { options.chosenSteps = Int(min(20_000 * max(options.seconds, 1), 1e6)) }
    if isOneOrder { options.strategy = .inTurn }
    if isOfSource || isOneOrder || replay != nil { return try result(options, body) }
    // Try exact times first: many tests wait for a time, or have a generous limit. Failures that
    // need a late time are reported separately.
    options.seconds /= 2
    options.hasExactTime = true
    let exact = try result(options, body)
    guard case .explored(let answer) = exact, answer.leavesOutLateTimes else { return exact }
    options.hasExactTime = false
    guard case .explored(var late) = try result(options, body) else { return exact }
    late.onlyLateTimes = true
    return .explored(late)
  }

  private func result(
    _ options: ExplorationOptions,
    _ body: (ExplorationOptions) throws(ExploreError) -> Answer
  ) throws(ExploreError) -> Result {
    do throws(ExploreError) {
      let answer = try body(options)
      if leavesDoubts, let doubt = answer.outcome.failure?.doubt {
        return .refused(doubt.reason, details: doubt.details)
      }
      return .explored(answer)
    } catch {
      // The option's token may belong to another test: refuse quietly.
      if replay != nil, isOfSource { throw error }
      return .refused(error.description)
    }
  }

  /// Prints and records the result of a test; returns `false` if the test should run as usual.
  ///
  /// - Parameters:
  ///   - result: The result.
  ///   - test: The identifier of the test.
  ///   - place: The place that the report names.
  ///   - line: Returns the source line that replays a token.
  ///   - replay: Returns the replay instructions; `nil` uses `line`.
  /// - Returns: False if the test should run as usual.
  func report(
    _ result: Result, of test: String, at place: ExploredPlace,
    line: @escaping (_ token: String) -> String, replay: ((_ token: String) -> String)? = nil
  ) -> Bool {
    switch result {
    case .refused(let reason, let details):
      print("explore: \(details ?? reason); the test runs once, as usual  \(place.text)")
      TestsAsTheyAre.note(
        ExploredTests.Case(test: test, place: place.text, result: .once, reason: reason))
      return false
    case .explored(let answer):
      TestsAsTheyAre.note(answer.exploredCase(test, at: place, line: line))
      if isOneOrder, answer.outcome.failure == nil { return true }
      InterlockTesting.report(answer, place, replay: replay ?? line)
      return true
    }
  }
}
