public import XCTest

/// A test case of XCTest whose tests are explored, as the trait `explored` of Swift Testing does.
///
///     final class AccountTests: ExploredTestCase {
///       func testWithdrawals() async throws { … }
///     }
///
/// Each execution makes the instance anew and calls `setUp`, the test and `tearDown` in a child
/// process. The first failed assertion ends the order. Waits for expectations are controlled, and
/// their limits of time pass only when no thread can continue. A test that this build cannot
/// explore runs once, with the reason.
open class ExploredTestCase: XCTestCase {
  /// How each test is explored; without options, within 10 seconds.
  open var options: [ExploreOption] { [] }

  /// The token of a failure: only its schedule is executed.
  open var replay: String? { nil }

  /// Explores the test.
  open override func invokeTest() {
    let exploration = TestExploration(options: options, replay: replay, leavesDoubts: true)
    if !ExploredXCTests.runs(self, exploration) { super.invokeTest() }
  }
}
