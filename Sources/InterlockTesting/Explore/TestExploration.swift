import Explorer
import Findings
import Testing

/// How a test is explored as it is: by a trait, a base class, or the option `explore`.
struct TestExploration: Sendable {
  var options: [ExploreOption] = []
  var replay: String?
  /// One order is all that is asked for: a test that passes says nothing.
  var isOneOrder = false
  /// The source of the test asks for it. Otherwise the option does.
  var isOfSource = true
  /// A failure that may have another cause than the order lets the test run as usual.
  var leavesDoubts = false

  enum Result: Sendable {
    case explored(Answer)
    case refused(_ reason: String, details: String? = nil)
  }

  /// Explores on the calling thread, which waits.
  ///
  /// - Parameter body: Explores with the options that it gets, in a child process.
  /// - Returns: The result.
  /// - Throws: `ExploreError` for an option that is not valid, or a token that does not fit.
  func result(
    _ body: (ExplorationOptions) throws(ExploreError) -> Answer
  ) throws(ExploreError) -> Result {
    var options = try settings(options)
    options.isIsolated = true
    options.leavesDoubts = leavesDoubts
    // Several orders within the budget, also of a test that loops until another task ends the loop.
    if replay == nil { options.chosenSteps = Int(min(20_000 * max(options.seconds, 1), 1e6)) }
    if isOneOrder { options.strategy = .inTurn }
    if isOfSource || isOneOrder || replay != nil { return try result(options, body) }
    // Many tests wait for a time, or have a limit that is meant to be long enough. What fails only
    // where a time is late has a place of its own.
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
      if leavesDoubts, case .failed(let failure) = answer.outcome, let doubt = failure.doubt {
        return .refused(doubt.reason, details: doubt.details)
      }
      return .explored(answer)
    } catch {
      // With the option, the token is that of another test.
      if replay != nil, isOfSource { throw error }
      return .refused(error.description)
    }
  }

  /// Prints and records the result of a test; returns `false` if the test is to run as usual.
  ///
  /// - Parameters:
  ///   - result: The result.
  ///   - test: The identifier of the test.
  ///   - place: The place that reports name.
  ///   - line: The line of source that replays a token.
  ///   - replay: What the issue says of a replay; `nil` for the line.
  /// - Returns: Whether the test is done.
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
      if case .failed = answer.outcome {} else if isOneOrder { return true }
      InterlockTesting.report(answer, place, replay: replay ?? line)
      return true
    }
  }
}
