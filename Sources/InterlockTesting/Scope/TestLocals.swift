import CInterlockEvents
import Explorer
import InterlockWatchdog

/// Swift Testing's task-local values of the calling code: the test, its case, and the enclosing
/// known issue. Threads and blocks do not inherit task-local values. Without a copy, an issue
/// recorded there would belong to no test.
struct TestLocals: Sendable {
  private let values: [any BoundLocal]

  /// Copies the values of the calling task or thread; `nil` if there are none.
  ///
  /// Returns `nil` in an explored body: binding values there would change its orders.
  init?() {
    guard !Exploration.isExplored else { return nil }
    values = testLocals.compactMap { local in
      func value<Value>(_ type: Value.Type) -> (any BoundLocal)? { Local<Value>(key: local.key) }
      return _openExistential(local.type, do: value)
    }
    if values.isEmpty { return nil }
  }

  /// Binds the values to the calling thread until `unbind`; returns how many were bound.
  func bind() -> Int {
    // Do not bind inside a task: it has its own values.
    guard withUnsafeCurrentTask(body: { $0 == nil }) else { return 0 }
    for value in values { value.bind() }
    return values.count
  }

  /// Unbinds the `count` values last bound to the calling thread.
  static func unbind(_ count: Int) {
    for _ in 0..<count { interlock_tests_unbind() }
  }
}

private protocol BoundLocal: Sendable {
  func bind()
}

/// A copy of a task-local value. Unchecked: task-local values are Sendable.
private struct Local<Value>: BoundLocal, @unchecked Sendable {
  // The address of Swift Testing's task-local key.
  private let key: UInt
  private let value: Value

  /// Copies the caller's value; `nil` if it has none.
  init?(key: UInt) {
    guard let pointer = interlock_tests_value(UnsafeRawPointer(bitPattern: key)) else { return nil }
    self.key = key
    value = pointer.assumingMemoryBound(to: Value.self).pointee
  }

  func bind() {
    let copy = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    copy.initialize(to: value)
    // The runtime moves the value out of `copy`: only free the memory.
    interlock_tests_bind(
      UnsafeRawPointer(bitPattern: key), copy, unsafeBitCast(Value.self, to: UnsafeRawPointer.self))
    copy.deallocate()
  }
}
