import Dispatch
import InterlockTesting
import Testing
import XCTest

// Starts the tests as the package manager's test runner does: see Tests/HangingTests.
if CommandLine.arguments.contains(where: { $0.contains("Unowned") }) { Outsiders.start() }
if CommandLine.arguments.contains(where: { $0.contains("leavesThePool") }) { Bystander.start() }
if CommandLine.arguments.contains("swift-testing") {
  Task { await Testing.__swiftPMEntryPoint() as Never }
  dispatchMain()
} else {
  XCTMain([
    testCase([("testConflict", XCWatched.testConflict), ("testQuiet", XCWatched.testQuiet)]),
    testCase([
      ("testLeaves", XCLeaving.testLeaves), ("testStays", XCLeaving.testStays),
      ("testLeavesALock", XCLeaving.testLeavesALock), ("testUnlocks", XCLeaving.testUnlocks),
    ]),
    testCase([
      ("testCrash", asyncTest(XCIsolated.testCrash)),
      ("testConflict", asyncTest(XCIsolated.testConflict)),
    ]),
    testCase([
      ("testActor", asyncTest(XCAsTheyAre.testActor)),
      ("testLateTask", asyncTest(XCAsTheyAre.testLateTask)),
      ("testOnMainActor", asyncTest(XCAsTheyAre.testOnMainActor)),
      ("testExpectations", XCAsTheyAre.testExpectations),
      ("testCountedExpectation", XCAsTheyAre.testCountedExpectation),
      ("testOrderOfExpectations", XCAsTheyAre.testOrderOfExpectations),
      ("testInvertedExpectation", XCAsTheyAre.testInvertedExpectation),
      ("testAwaitedExpectation", asyncTest(XCAsTheyAre.testAwaitedExpectation)),
      ("testMainQueue", XCAsTheyAre.testMainQueue),
      ("testPolls", XCAsTheyAre.testPolls),
      ("testSerialExecutor", asyncTest(XCAsTheyAre.testSerialExecutor)),
      ("testOwnProcess", XCAsTheyAre.testOwnProcess),
      ("testSkipped", XCAsTheyAre.testSkipped),
      ("testTimer", XCAsTheyAre.testTimer),
      ("testPredicate", XCAsTheyAre.testPredicate),
      ("testWaitOnQueue", XCAsTheyAre.testWaitOnQueue),
      ("testWaitForever", XCAsTheyAre.testWaitForever),
      ("testMeasure", XCAsTheyAre.testMeasure),
    ]),
    testCase([
      ("testPostsEarly", asyncTest(XCPublished.testPostsEarly)),
      ("testPostsEarlyRepaired", asyncTest(XCPublished.testPostsEarlyRepaired)),
    ]),
    testCase([("testThreads", XCManyThreads.testThreads)]),
    testCase([("testLocalValue", asyncTest(XCSurrounds.testLocalValue))]),
    testCase([("testAssertion", asyncTest(XCExplores.testAssertion))]),
    testCase([
      ("testRight", asyncTest(XCExplored.testRight)),
      ("testWrong", asyncTest(XCExplored.testWrong)),
      ("testSkipped", XCExplored.testSkipped),
      ("testMeasure", XCExplored.testMeasure),
    ]),
    testCase([("testSections", asyncTest(XCSendable.testSections))]),
    testCase([
      ("testStress", asyncTest(XCStressed.testStress)),
      ("testThrows", asyncTest(XCStressed.testThrows)),
      ("testQuietStress", asyncTest(XCStressed.testQuietStress)),
    ]),
  ])
}
