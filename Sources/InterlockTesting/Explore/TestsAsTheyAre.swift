import CInterlockEvents
import Foundation
internal import Interlock
import Testing

/// The option `explore`: tests are explored as if their source asked for it.
///
/// The code of `@Test` passes the traits of the test to a function of the library, and a door of
/// that function adds one. Tests of XCTest: see `ExploredXCTests`. Thread-safe.
enum TestsAsTheyAre {
  /// The result of a test case.
  enum Standing: Hashable {
    case everyOrder, someOrders, failed
    /// It failed only where a time is late.
    case failedLate
    /// It ran without exploration, for this reason.
    case once(String)
  }

  /// How each test is explored; `nil` without the option.
  static let exploration: TestExploration? = {
    let options = TestOptions.ofThisProcess
    var exploration = TestExploration()
    switch options.explore {
    case .off: return nil
    case .tests: exploration.options = [.budget(.seconds(options.exploreBudget))]
    case .oneOrder: exploration = ExploredTrait.inOneOrder.exploration
    }
    exploration.replay = options.exploreReplay
    exploration.isOfSource = false
    exploration.leavesDoubts = true
    return exploration
  }()

  private static let standings = Locked<[Standing: Int]>([:])
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

  /// Counts a test case.
  static func note(_ standing: Standing) {
    standings.withLock { $0[standing, default: 0] += 1 }
  }

  private static func summarise() {
    // An explored test that ends its process has the counts of the parent.
    guard getpid() == process else { return }
    let counts = standings.withLock { $0 }
    if counts.isEmpty { return }
    let all = counts.values.reduce(0, +)
    var parts: [String] = []
    func add(_ standing: Standing, _ words: String) {
      if let count = counts[standing] { parts.append("\(count) \(words)") }
    }
    add(.everyOrder, "in every order")
    add(.someOrders, exploration?.isOneOrder == true ? "in one order" : "in some orders")
    add(.failed, "failed")
    add(.failedLate, "failed only where a time is late")
    let reasons: [(count: Int, text: String)] = counts.compactMap { standing, count in
      if case .once(let reason) = standing { (count, reason) } else { nil }
    }
    let listed = reasons.sorted { ($1.count, $0.text) < ($0.count, $1.text) }
    parts += listed.map { "\($0.count) once, as usual (\($0.text))" }
    SectionTracking.announce(
      "explore: \(all) test case\(all == 1 ? "" : "s"): \(parts.joined(separator: ", "))")
  }
}
