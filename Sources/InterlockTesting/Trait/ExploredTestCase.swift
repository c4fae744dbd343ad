public import XCTest

/// An XCTest test case whose tests are explored, like tests with the Swift Testing trait
/// `explored`.
///
///     final class AccountTests: ExploredTestCase {
///       func testWithdrawals() async throws { … }
///     }
///
/// Each execution creates a new instance and calls `setUp`, the test and `tearDown` in a child
/// process. The first failed assertion ends the order. Waits for expectations are controlled, and
/// they time out only when no thread can continue. A test that this build cannot explore runs once
/// as usual, and the reason is printed.
open class ExploredTestCase: XCTestCase {
  /// The options of the exploration; by default, 10 seconds for each test.
  open var options: [ExploreOption] { [] }

  /// The token of a failure: if set, only its schedule is executed.
  open var replay: String? { nil }

  /// Explores the test.
  open override func invokeTest() {
    let exploration = TestExploration(options: options, replay: replay, leavesDoubts: true)
    if !ExploredXCTests.runs(self, exploration) { super.invokeTest() }
  }
}
