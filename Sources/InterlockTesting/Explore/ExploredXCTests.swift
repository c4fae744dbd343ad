import CInterlockEvents
import Explorer
import Foundation
internal import Interlock
import InterlockWatchdog
@_spi(Reflection) import Swift
import Testing
import XCTest

/// XCTest tests that are explored: those of `ExploredTestCase`, and all tests if the option
/// `explore` is set.
///
/// XCTest calls a test case's method for `setUp`, the test and `tearDown`. Each execution calls the
/// method on a new instance, in a child process, on a thread that counts as the main thread.
/// Thread-safe.
enum ExploredXCTests {
  /// Hooks the start of tests and the recording of failures. Called before `main`; returns `false`
  /// if this build does not permit it.
  static func start() -> Bool { interlock_xctest_run_by(runner) }

  nonisolated(unsafe) private static let runner: UnsafePointer<interlock_xctest_runner> = {
    // Never freed.
    let runner = UnsafeMutablePointer<interlock_xctest_runner>.allocate(capacity: 1)
    runner.initialize(
      to: interlock_xctest_runner(
        invokes: { object in
          guard let object else { return false }
          // XCTest passes the object to this call.
          let test = Unmanaged<XCTestCase>.fromOpaque(object).takeUnretainedValue()
          guard TestsAsTheyAre.isOn, let exploration = TestsAsTheyAre.exploration,
            !(test is ExploredTestCase), TestsAsTheyAre.chooses(identifier(of: test))
          else { return false }
          return runs(test, exploration)
        },
        fails: { description, file, line in
          guard Exploration.isExplored, let description, let file else { return false }
          let text = unsafeBitCast((description[0], description[1]), to: String.self)
          let path = unsafeBitCast((file[0], file[1]), to: String.self)
          let place = line > 0 ? "\((path as NSString).lastPathComponent):\(line)" : ""
          Exploration.end(text, at: place)
          return true
        }))
    return UnsafePointer(runner)
  }()

  /// Explores a test; returns `false` if the test should run as usual.
  static func runs(_ test: XCTestCase, _ exploration: TestExploration) -> Bool {
    if Exploration.isExplored { return false }
    let place = place(of: test)
    let identifier = identifier(of: test)
    if TestsAsTheyAre.isOver {
      let reason = TestsAsTheyAre.leave(identifier, place)
      print("explore: \(reason); the test does not run  \(place.text)")
      return true
    }
    guard let closure = closure(of: test) else {
      return exploration.report(
        .refused("this version of XCTest is not known"), of: identifier, at: place, line: { $0 })
    }
    let name = String(test.name.drop { $0 != "." }.dropFirst())
    let type = type(of: test)
    // Create the waiter's queue now: created on first use, it would be a part of an order.
    _ = XCTWaiter().fulfilledExpectations
    do throws(ExploreError) {
      let result = try exploration.result { options throws(ExploreError) in
        var options = options
        options.bodyIsMain = true
        let explored = Exploration(options, of: test.name)
        return try answer(of: explored, exploration.replay) {
          let fresh = type.init(name: name, testClosure: closure)
          // Call the method of the user's class, which may override it.
          fresh.invokeTest()
          if isSkipped(fresh) { Exploration.leave(skip) }
          return true
        }
      }
      if case .refused(let reason, _) = result, reason.hasSuffix(skip) { return false }
      return exploration.report(result, of: identifier, at: place) { token in
        // Compare the name: the class may have other tests.
        "override var replay: String? { name.hasSuffix(\".\(name)\") ? \"\(token)\" : nil }"
      } replay: { token in
        exploration.isOfSource
          ? "override var replay: String? { \"\(token)\" }"
          : "INTERLOCK_OPTIONS=\"explore=tests explore_replay=\(token)\" swift test --filter"
            + " '\(test.name.replacing(".", with: "/"))$'"
      }
    } catch {
      recordIssue(error.description, at: place.location())
      return true
    }
  }

  /// The reason for ending an exploration whose test skips itself.
  private static let skip = "XCTSkip"

  // `testClosure` and `skip` are private properties of XCTest. `Mirror` finds them, but a closure
  // read from a mirror cannot be called.

  private typealias Closure = (XCTestCase) throws -> Void

  /// Reads a closure as a stored property. Swift would call a closure behind a bare pointer with a
  /// different calling convention.
  private struct Property {
    let closure: Closure
  }

  private static func closure(of test: XCTestCase) -> Closure? {
    let place = property("testClosure", Closure.self, of: test)
    return place?.assumingMemoryBound(to: Property.self).pointee.closure
  }

  private static func isSkipped(_ test: XCTestCase) -> Bool {
    let skip = property("skip", XCTSkip?.self, of: test)
    return skip?.assumingMemoryBound(to: XCTSkip?.self).pointee != nil
  }

  /// The address of an instance's property with this name and type; `nil` for none.
  private static func property(
    _ label: String, _ ofType: Any.Type, of test: XCTestCase
  ) -> UnsafeRawPointer? {
    var place: UnsafeRawPointer?
    let ofClass = _EachFieldOptions(rawValue: 1)
    _forEachField(of: XCTestCase.self, options: ofClass) { name, offset, type, _ in
      guard String(cString: name) == label, type == ofType else { return true }
      place = UnsafeRawPointer(Unmanaged.passUnretained(test).toOpaque()) + offset
      return false
    }
    return place
  }

  /// The identifier of a test in `swift test list`.
  private static func identifier(of test: XCTestCase) -> String {
    "\(module(of: test)).\(test.name.replacing(".", with: "/"))"
  }

  private static func module(of test: XCTestCase) -> String {
    String(reflecting: type(of: test)).split(separator: ".").first.map(String.init) ?? ""
  }

  private static func place(of test: XCTestCase) -> ExploredPlace {
    let type = type(of: test)
    let module = module(of: test)
    return ExploredPlace(test.name, in: module) {
      let place = XCTestPlace(of: test.name, in: type)
      let path = place?.path ?? "\(type)"
      return SourceLocation(
        fileID: "\(module)/\((path as NSString).lastPathComponent)", filePath: path,
        line: place?.line ?? 1, column: 1)
    }
  }
}
