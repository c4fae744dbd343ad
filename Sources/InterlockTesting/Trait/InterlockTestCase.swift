import Explorer
import Foundation
import Interlock
import InterlockWatchdog
import Testing
public import XCTest

/// A test case of XCTest whose conflicts and hangs become failures of the test that has them.
///
///     final class CacheTests: InterlockTestCase {
///       func testReadsAndWrites() { … }
///     }
///
/// As the trait `interlock` of Swift Testing: a conflict does not trap, near-miss delays are on,
/// and a hang ends the process with code 86 and a report that names the test.
open class InterlockTestCase: XCTestCase {
  /// The longest time without progress of the process; 10 seconds unless a subclass says otherwise.
  open var hangLimit: Duration { .seconds(10) }

  /// The consequence if tasks, threads or objects that the test has made outlive it; none unless a
  /// subclass says otherwise.
  open var leaks: InterlockTrait.Leaks { .ignored }

  /// Runs the test, watched.
  open override func invokeTest() {
    // The process that explores watches, and each order is its own.
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
