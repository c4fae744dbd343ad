import Explorer
import Foundation
import Interlock
import InterlockWatchdog
import Testing
public import XCTest

/// An XCTest test case whose conflicts and hangs become failures of the test that causes them.
///
///     final class CacheTests: InterlockTestCase {
///       func testReadsAndWrites() { … }
///     }
///
/// Like the Swift Testing trait `interlock`: a conflict does not trap, near-miss delays are on, and
/// a hang ends the process with code 86 and a report that names the test.
open class InterlockTestCase: XCTestCase {
  /// The longest time without progress of the process. 10 seconds by default.
  open var hangLimit: Duration { .seconds(10) }

  /// The consequence if tasks, threads or objects that the test creates outlive it. None by
  /// default.
  open var leaks: InterlockTrait.Leaks { .ignored }

  /// Runs the test under the watchdog.
  open override func invokeTest() {
    // Do not watch an explored order: the exploring process watches, and each order is one
    // execution.
    if Exploration.isExplored { return super.invokeTest() }
    let watch = WatchedWork.begin(limit: hangLimit, note: "watched: \(name)")
    defer { watch.end() }
    SectionTracking.delays = true
    let place = SourceLocation(
      fileID: "XCTest/\(type(of: self))", filePath: "\(type(of: self))", line: 1, column: 1)
    let scope = TestScope(at: place)
    let tasks = LeftTasks(of: scope, leaks)
    scope.runBlocking { super.invokeTest() }
    tasks?.endBlocking()
  }
}
