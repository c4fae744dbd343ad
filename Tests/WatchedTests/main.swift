import Dispatch
import InterlockTesting
import Testing
import XCTest

// As the package manager's test runner: see Tests/HangingTests.
if CommandLine.arguments.contains(where: { $0.contains("Unowned") }) { Outsiders.start() }
if CommandLine.arguments.contains(where: { $0.contains("leavesThePool") }) { Bystander.start() }
if CommandLine.arguments.contains("swift-testing") {
  Task { await Testing.__swiftPMEntryPoint() as Never }
  dispatchMain()
} else {
  XCTMain([
    testCase([("testConflict", XCWatched.testConflict), ("testQuiet", XCWatched.testQuiet)]),
    testCase([
      ("testCrash", asyncTest(XCIsolated.testCrash)),
      ("testConflict", asyncTest(XCIsolated.testConflict)),
    ]),
    testCase([("testSections", asyncTest(XCSendable.testSections))]),
    testCase([
      ("testStress", asyncTest(XCStressed.testStress)),
      ("testThrows", asyncTest(XCStressed.testThrows)),
      ("testQuietStress", asyncTest(XCStressed.testQuietStress)),
    ]),
  ])
}
