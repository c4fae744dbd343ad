import Dispatch
import InterlockWatchdog
import Testing
import XCTest

// Runs the tests as the package manager's test runner does: `--testing-library` selects the
// library, which gets the arguments after it.
let arguments = CommandLine.arguments
if arguments.contains("swift-testing") {
  Task { await Testing.__swiftPMEntryPoint() as Never }
  dispatchMain()
} else {
  XCTMain([
    testCase([
      ("testRelock", XCHangs.testRelock),
      ("testExpectationBlocking", XCHangs.testExpectationBlocking),
    ]),
    testCase([
      ("testSemaphoresInTasks", asyncTest(XCHangs.testSemaphoresInTasks)),
      ("testNeverResumed", asyncTest(XCHangs.testNeverResumed)),
      ("testActorBlocked", asyncTest(XCHangs.testActorBlocked)),
      ("testTasksCrossed", asyncTest(XCHangs.testTasksCrossed)),
      ("testThrowingGroupCrossed", asyncTest(XCHangs.testThrowingGroupCrossed)),
      ("testExpectation", asyncTest(XCHangs.testExpectation)),
    ]),
    testCase([
      ("testInherited", asyncTest(XCInheriting.testInherited)),
      ("testInExtension", asyncTest(XCInheriting.testInExtension)),
    ]),
    testCase([("testLeftLocked", XCLeft.testLeftLocked)]),
    testCase([("testRunLoopTimer", XCQuiet.testRunLoopTimer)]),
    testCase([
      ("testSleeps", asyncTest(XCQuiet.testSleeps)),
      ("testExpectationLate", asyncTest(XCQuiet.testExpectationLate)),
      ("testThreadAnswers", asyncTest(XCQuiet.testThreadAnswers)),
    ]),
  ])
}
