import CInterlockEvents
import Findings
import Foundation
internal import Interlock
import InterlockWatchdog
import Testing

/// The option `explore`: tests are explored as if their source asked for it.
///
/// The code of `@Test` passes the traits of the test to a function of the library, and a door of
/// that function adds one. Tests of XCTest: see `ExploredXCTests`. Thread-safe.
enum TestsAsTheyAre {
  /// How each test is explored; `nil` without the option.
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

  /// The option holds in this process. Written once, before there is another thread.
  nonisolated(unsafe) private(set) static var isOn = false

  /// Obeys the option. Called before `main`.
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
    // Read before a child of an exploration can read it.
    _ = process
    tests.withLock { tests in
      tests.isOneOrder = exploration?.isOneOrder == true
      hasFailed.withLock { $0 = results?.containFailure == true }
      // Also without a test: the reader sees that this process obeys the option.
      results?.write(tests)
    }
    atexit { TestsAsTheyAre.summarise() }
  }

  /// Whether the option holds in this process: not in one that a test starts, which may be of the
  /// same executable and is to do as the test expects.
  private static func takeOption() -> Bool {
    let mark = "INTERLOCK_EXPLORES_TESTS"
    let isOthers = getenv(mark).map { String(cString: $0) != "\(process)" } ?? false
    guard !isOthers, exploration != nil else { return false }
    setenv(mark, "\(process)", 1)
    return true
  }

  /// Tests get the trait. A time limit would count the time of all orders, and that of the tests
  /// that are explored meanwhile.
  private static let chosen: @convention(c) (UInt, Bool) -> UInt = { own, isSuite in
    if isSuite {
      return kept(unsafeBitCast(own, to: [any SuiteTrait].self).filter { !($0 is TimeLimitTrait) })
    }
    let traits = unsafeBitCast(own, to: [any TestTrait].self).filter { !($0 is TimeLimitTrait) }
    return kept((exploration.map { [ExploredTrait(exploration: $0)] } ?? []) + traits)
  }

  /// An array that is never released, as a word.
  private static func kept<Element>(_ array: [Element]) -> UInt {
    let kept = UnsafeMutablePointer<[Element]>.allocate(capacity: 1)
    kept.initialize(to: array)
    return UnsafeRawPointer(kept).load(as: UInt.self)
  }

  // MARK: Results

  /// Where the variable `INTERLOCK_EXPLORE_RESULTS` wants the results of this process.
  private static let results = ExploredResults(
    folder: ProcessInfo.processInfo.environment["INTERLOCK_EXPLORE_RESULTS"])
  private static let hasFailed = Locked(false)

  /// Whether `interlock hunt` runs the tests.
  static let areHunted = isOn && TestOptions.ofThisProcess.exploreStop && results != nil

  /// Whether the option `explore_filter` chooses a test, by its identifier.
  static func chooses(_ test: String) -> Bool {
    guard let filter = TestOptions.ofThisProcess.exploreFilter,
      let pattern = try? Regex(filter)
    else { return true }
    return test.contains(pattern)
  }

  /// Whether a failing order has ended the search, so that no other test begins.
  static var isOver: Bool {
    isOn && TestOptions.ofThisProcess.exploreStop && hasFailed.withLock { $0 }
  }

  /// Notes a test that does not begin, because the search is over.
  ///
  /// - Returns: Why.
  static func leave(_ test: String, _ place: ExploredPlace) -> String {
    note(ExploredTests.Case(test: test, place: place.text, result: .notRun))
    return "an order of another test fails"
  }

  /// Notes a test case for the summary and the reports.
  static func note(_ tested: ExploredTests.Case) {
    InterlockWatchdog.noteForReports(tested)
    attach(tested)
    if tested.result == .failed { hasFailed.withLock { $0 = true } }
    tests.withLock { tests in
      tests.cases.append(tested)
      results?.write(tests)
    }
  }

  /// Attaches a test case to the test of Swift Testing that runs it.
  private static func attach(_ tested: ExploredTests.Case) {
    guard Test.current != nil else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(tested) else { return }
    Attachment.record(String(decoding: data, as: UTF8.self), named: "exploration.json")
  }

  private static func summarise() {
    // An explored test that ends its process has the counts of the parent.
    guard getpid() == process, let summary = tests.withLock({ $0.summary }) else { return }
    SectionTracking.announce("explore: \(summary)")
  }
}
