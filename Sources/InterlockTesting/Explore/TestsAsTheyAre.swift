import CInterlockEvents
import Findings
import Foundation
internal import Interlock
import InterlockWatchdog
import Testing

/// The option `explore`, which explores tests as if their source asked for it.
///
/// The code that `@Test` generates passes the test's traits to a function of Swift Testing. A hook
/// at that function's entry adds the trait `explored`. `ExploredXCTests` handles XCTest.
/// Thread-safe.
enum TestsAsTheyAre {
  /// The exploration of each test; `nil` without the option.
  static let exploration: TestExploration? = {
    let options = TestOptions.ofThisProcess
    var exploration = TestExploration()
    switch options.explore {
    case .off: return nil
    case .tests:
      exploration.options = [.budget(.seconds(options.exploreBudget))]
      exploration.options += options.exploreOrders.map { [.executions($0)] } ?? []
      exploration.options += options.exploreSeed.map { [.seed($0)] } ?? []
    case .oneOrder: exploration = ExploredTrait.inOneOrder.exploration
    }
    exploration.replay = options.exploreReplay
    exploration.isOfSource = false
    exploration.leavesDoubts = true
    return exploration
  }()

  private static let tests = Locked(ExploredTests())
  private static let process = getpid()

  /// True if the option is set in this process. Written once, before a second thread exists.
  nonisolated(unsafe) private(set) static var isOn = false

  /// Applies the option. Called before `main`.
  static func start() {
    let meetsXCTest = ExploredXCTests.start()
    guard getenv("INTERLOCK_OPTIONS") != nil, takeOption() else { return }
    isOn = true
    if !meetsXCTest {
      SectionTracking.announce("explore: this build cannot explore tests of XCTest")
    }
    if !interlock_tests_choose_traits(chosen) {
      SectionTracking.announce(
        "explore: this build cannot add a trait to its tests; write @Suite(.explored)")
    }
    // Initialise the global now, before a child process of an exploration reads it.
    _ = process
    tests.withLock { tests in
      tests.isOneOrder = exploration?.isOneOrder == true
      hasFailed.withLock { $0 = results?.containFailure == true }
      // Write the file even without a test: it tells `hunt` that this process supports the option.
      results?.write(tests)
    }
    atexit { TestsAsTheyAre.summarise() }
  }

  /// True if the option applies to this process. It does not apply to processes that a test starts:
  /// they may run the same executable, and must behave as the test expects.
  private static func takeOption() -> Bool {
    let mark = "INTERLOCK_EXPLORES_TESTS"
    let isOthers = getenv(mark).map { String(cString: $0) != "\(process)" } ?? false
    guard !isOthers, exploration != nil else { return false }
    setenv(mark, "\(process)", 1)
    return true
  }

  /// Adds the trait and removes time limits. A limit would include the time of all orders, and of
  /// other tests explored meanwhile.
  private static let chosen: @convention(c) (UInt, Bool) -> UInt = { own, isSuite in
    if isSuite {
      return kept(unsafeBitCast(own, to: [any SuiteTrait].self).filter { !($0 is TimeLimitTrait) })
    }
    let traits = unsafeBitCast(own, to: [any TestTrait].self).filter { !($0 is TimeLimitTrait) }
    return kept((exploration.map { [ExploredTrait(exploration: $0)] } ?? []) + traits)
  }

  /// Keeps an array alive forever, and returns its reference as a word.
  private static func kept<Element>(_ array: [Element]) -> UInt {
    let kept = UnsafeMutablePointer<[Element]>.allocate(capacity: 1)
    kept.initialize(to: array)
    return UnsafeRawPointer(kept).load(as: UInt.self)
  }

  // MARK: Results

  /// The results file of this process, if `INTERLOCK_EXPLORE_RESULTS` is set.
  private static let results = ExploredResults(
    folder: ProcessInfo.processInfo.environment["INTERLOCK_EXPLORE_RESULTS"])
  private static let hasFailed = Locked(false)

  /// True if `interlock hunt` runs the tests.
  static let areHunted = isOn && TestOptions.ofThisProcess.exploreStop && results != nil

  /// True if the option `explore_filter` matches the test's identifier, or is not set.
  static func chooses(_ test: String) -> Bool {
    guard let filter = TestOptions.ofThisProcess.exploreFilter,
      let pattern = try? Regex(filter)
    else { return true }
    return test.contains(pattern)
  }

  /// True if a failing order has ended the search, so that no further test begins.
  static var isOver: Bool {
    isOn && TestOptions.ofThisProcess.exploreStop && hasFailed.withLock { $0 }
  }

  /// Notes a test that does not run because the search is over.
  ///
  /// - Returns: The reason.
  static func leave(_ test: String, _ place: ExploredPlace) -> String {
    note(ExploredTests.Case(test: test, place: place.text, result: .notRun))
    return "an order of another test fails"
  }

  /// Adds a test case to the summary and the reports.
  static func note(_ tested: ExploredTests.Case) {
    InterlockWatchdog.noteForReports(tested)
    attach(tested)
    if tested.result == .failed { hasFailed.withLock { $0 = true } }
    tests.withLock { tests in
      tests.cases.append(tested)
      results?.write(tests)
    }
  }

  /// Attaches the result to the Swift Testing test that runs.
  private static func attach(_ tested: ExploredTests.Case) {
    guard Test.current != nil else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(tested) else { return }
    Attachment.record(String(decoding: data, as: UTF8.self), named: "exploration.json")
  }

  private static func summarise() {
    // Skip child processes: an explored test that calls `exit` has a copy of the parent's counts.
    guard getpid() == process, let summary = tests.withLock({ $0.summary }) else { return }
    SectionTracking.announce("explore: \(summary)")
  }
}
