import CInterlockEvents
import CInterlockWatchdog
import Foundation

/// The tests that have begun and not ended, from the test libraries themselves: a test that is
/// suspended at an `await` is on no stack. The watchdog links neither library.
///
/// XCTest calls observers. Swift Testing has none within the process; its event stream goes to a
/// file that only its own options name. It binds a task-local value to each test, and the labelled
/// children of that value describe the test. A task's stack may lack frames, and has no arguments.
final class RunningTests: Sendable {
  /// The process-wide instance: both libraries have one list of tests.
  static let shared = RunningTests()

  // Not `Mutex`: ThreadSanitizer reports a contended one as a race.
  private let lock = NSLock()
  // Accessed only under that lock.
  nonisolated(unsafe) private var xctests: [XCTestRun] = []
  nonisolated(unsafe) private var bound: [UInt: [(number: Int, value: Any)]] = [:]
  nonisolated(unsafe) private var count = 0
  nonisolated(unsafe) private var locals: [TestLocal] = []
  /// Written once, before there is another thread.
  nonisolated(unsafe) private var xctest = INTERLOCK_XCTEST_NONE

  /// Follows each of the libraries that is in the process. Called before `main`, while there is one
  /// thread.
  func follow() {
    xctest = interlock_observe_xctest(Unmanaged.passUnretained(self).toOpaque(), Self.observer)
    interlock_tests_follow(Self.follower)
  }

  // The callbacks live as long as the process.

  nonisolated(unsafe) private static let observer = constant(
    interlock_xctest_follower(
      begins: { id, name in
        RunningTests.shared.begins(id, unsafeBitCast((name.first, name.second), to: String.self))
      },
      ends: { id in RunningTests.shared.ends(id) }))

  nonisolated(unsafe) private static let follower = constant(
    interlock_test_follower(
      binds: { key, value, type, owner in
        guard let key, let value, let type else { return }
        let local = TestLocal(
          key: UInt(bitPattern: key), type: unsafeBitCast(type, to: Any.Type.self))
        RunningTests.shared.binds(value, local, owner)
      },
      unbinds: { owner in RunningTests.shared.unbinds(from: owner) }))

  private static func constant<Value>(_ value: Value) -> UnsafePointer<Value> {
    let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    memory.initialize(to: value)
    return UnsafePointer(memory)
  }

  private func begins(_ id: UInt, _ name: String) {
    guard let test = UnsafeRawPointer(bitPattern: id) else { return }
    // `id` is the address of the test case that XCTest has just passed, so the object is alive.
    let type: AnyClass = Swift.type(of: Unmanaged<AnyObject>.fromOpaque(test).takeUnretainedValue())
    lock.withLock { xctests.append(XCTestRun(id: id, name: name, type: type)) }
  }

  private func ends(_ id: UInt) { lock.withLock { xctests.removeAll { $0.id == id } } }

  private func binds(_ value: UnsafeRawPointer, _ local: TestLocal, _ owner: UInt) {
    func copy<Value>(_: Value.Type) -> Any { value.assumingMemoryBound(to: Value.self).pointee }
    let value = _openExistential(local.type, do: copy)
    lock.withLock {
      if !locals.contains(where: { $0.key == local.key }) { locals.append(local) }
      count += 1
      bound[owner, default: []].append((count, value))
    }
  }

  private func unbinds(from owner: UInt) {
    // This may be the last reference: the deinitializers must run outside the lock.
    let value = lock.withLock {
      let last = bound[owner]?.popLast()
      if bound[owner]?.isEmpty ?? false { bound[owner] = nil }
      return last
    }
    withExtendedLifetime(value) {}
  }

  /// Whether XCTest is in the process: only a test process links it.
  var hasXCTest: Bool { xctest != INTERLOCK_XCTEST_NONE }

  /// The test of XCTest that began last and has not ended, as an `XCTestCase`; `nil` for none.
  var currentXCTest: AnyObject? {
    // A test case that has not ended lives. XCTest runs one at a time.
    lock.withLock { xctests.last.flatMap { UnsafeRawPointer(bitPattern: $0.id) } }
      .map { Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The task-local values that Swift Testing has bound so far in this process.
  var testLocals: [TestLocal] { lock.withLock { locals } }

  /// The tests that have begun and not ended, in the order in which they began.
  var names: [String] {
    // A thread in one of the calls above holds the lock only briefly; if that thread hangs, the
    // report has no names.
    guard lock.lock(before: Date(timeIntervalSinceNow: 1)) else { return [] }
    let values = bound.values.compactMap { stack in
      stack.last { SwiftTestingCase($0.value) != nil }
    }.sorted { $0.number < $1.number }
    let xctests = xctests
    lock.unlock()
    let names = xctests.map(\.description)
    var seen: Set<String> = []
    return (names + values.compactMap { SwiftTestingCase($0.value)?.description })
      .filter { seen.insert($0).inserted }
  }

  /// Why the report cannot name the tests; `nil` if it can.
  var note: String? {
    xctest == INTERLOCK_XCTEST_UNKNOWN
      ? "the watchdog does not know this version of XCTest: its tests are not named" : nil
  }
}

/// A task-local value of Swift Testing: the running test and its case, or a known issue.
package struct TestLocal: Sendable {
  /// Its key: the address of the library's object.
  package var key: UInt
  /// The type of its values.
  package var type: Any.Type
}

/// The task-local values that Swift Testing has bound so far in this process.
package var testLocals: [TestLocal] { RunningTests.shared.testLocals }

/// The arguments of a test case of Swift Testing, the same in every process. An argument that is no
/// text, number or truth value appears as the name of its type.
package func arguments(ofTestCase testCase: Any) -> [String] {
  SwiftTestingCase.arguments(of: Mirror(reflecting: testCase))
}

/// A test case of Swift Testing, from the value that the library binds for it.
private struct SwiftTestingCase: CustomStringConvertible {
  private let test: Mirror
  private let testCase: Mirror

  /// Returns `nil` if the value describes no test case: the library also binds values for suites
  /// and for runs of tests.
  init?(_ value: Any) {
    guard let state = Self.some(value), let test = Self.child("test", of: state),
      let testCase = Self.child("testCase", of: state)
    else { return nil }
    self.test = Mirror(reflecting: test)
    self.testCase = Mirror(reflecting: testCase)
  }

  /// `"takes a lock again" STHangs.relock() (STHangs.swift:9)`, with the arguments of the case.
  var description: String {
    var text = value("name", of: test) as? String ?? "a test"
    if let type = suite {
      // Without the module: the file shows it.
      text = String(reflecting: type).drop { $0 != "." }.dropFirst() + "." + text
    }
    let arguments = self.arguments
    if !arguments.isEmpty { text += " with " + arguments.joined(separator: ", ") }
    if let location = value("sourceLocation", of: test) {
      let place = Mirror(reflecting: location)
      if let file = value("fileID", of: place) as? String, let line = value("line", of: place) {
        text += " (\(file.split(separator: "/").last ?? ""):\(line))"
      }
    }
    if let shown = value("displayName", of: test) as? String { text = "\"\(shown)\" \(text)" }
    return String(text.prefix(240))
  }

  /// The type that contains the test; `nil` for none.
  private var suite: Any.Type? {
    guard let info = value("containingTypeInfo", of: test),
      let kind = value("_kind", of: Mirror(reflecting: info)),
      let payload = Mirror(reflecting: kind).children.first?.value
    else { return nil }
    return payload as? Any.Type ?? Mirror(reflecting: payload).children.first?.value as? Any.Type
  }

  /// The arguments of the case. Calls no `description` that the user wrote, which may wait for a
  /// hanging thread.
  private var arguments: [String] { Self.arguments(of: testCase) }

  static func arguments(of testCase: Mirror) -> [String] {
    guard let kind = value("_kind", of: testCase),
      let payload = Mirror(reflecting: kind).children.first?.value,
      let arguments = value("arguments", of: Mirror(reflecting: payload))
    else { return [] }
    return Mirror(reflecting: arguments).children.compactMap {
      switch value("value", of: Mirror(reflecting: $0.value)) {
      case let text as String: "\"\(text.prefix(60))\""
      case let number as Int: "\(number)"
      case let number as Double: "\(number)"
      case let flag as Bool: "\(flag)"
      case let other?: "\(type(of: other))"
      case nil: nil
      }
    }
  }

  private func value(_ label: String, of mirror: Mirror) -> Any? { Self.value(label, of: mirror) }

  private static func value(_ label: String, of mirror: Mirror) -> Any? {
    mirror.children.first { $0.label == label }.flatMap { some($0.value) }
  }

  private static func child(_ label: String, of value: Any) -> Any? {
    Mirror(reflecting: value).children.first { $0.label == label }.flatMap { some($0.value) }
  }

  /// The value in an optional; any other value itself.
  private static func some(_ value: Any) -> Any? {
    let mirror = Mirror(reflecting: value)
    return mirror.displayStyle == .optional ? mirror.children.first?.value : value
  }
}
