import CInterlockEvents
import Explorer
import InterlockWatchdog

/// What Swift Testing knows of the calling code: its test, the test's case, and the known issue
/// that it is in. A thread or block, which inherits no task-local value, gets them from the code
/// that makes it: else an issue there belongs to no test.
struct TestLocals: Sendable {
  private let values: [any BoundLocal]

  /// Those of the calling task or thread; `nil` if there are none.
  ///
  /// An explored body is left alone: what is bound there is a part of its order.
  init?() {
    guard !Exploration.isExplored else { return nil }
    values = testLocals.compactMap { local in
      func value<Value>(_ type: Value.Type) -> (any BoundLocal)? { Local<Value>(key: local.key) }
      return _openExistential(local.type, do: value)
    }
    if values.isEmpty { return nil }
  }

  /// Binds them to the calling thread until the same number is unbound; returns how many.
  func bind() -> Int {
    // To the thread: a task that runs on it has its own.
    guard withUnsafeCurrentTask(body: { $0 == nil }) else { return 0 }
    for value in values { value.bind() }
    return values.count
  }

  /// Unbinds the last values of the calling thread.
  static func unbind(_ count: Int) {
    for _ in 0..<count { interlock_tests_unbind() }
  }
}

private protocol BoundLocal: Sendable {
  func bind()
}

/// A copy of a task-local value. Unchecked: the values of task-locals are Sendable.
private struct Local<Value>: BoundLocal, @unchecked Sendable {
  // The address of the library's object.
  private let key: UInt
  private let value: Value

  /// The value of the caller; `nil` if it has none.
  init?(key: UInt) {
    guard let pointer = interlock_tests_value(UnsafeRawPointer(bitPattern: key)) else { return nil }
    self.key = key
    value = pointer.assumingMemoryBound(to: Value.self).pointee
  }

  func bind() {
    let copy = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    copy.initialize(to: value)
    // The runtime moves the value out of the memory.
    interlock_tests_bind(
      UnsafeRawPointer(bitPattern: key), copy, unsafeBitCast(Value.self, to: UnsafeRawPointer.self))
    copy.deallocate()
  }
}
