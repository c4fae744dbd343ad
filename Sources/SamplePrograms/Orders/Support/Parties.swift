import Dispatch
import Foundation

/// Runs closures at once, each as a block of a global queue, and returns when all have ended.
func together(_ parties: (@Sendable () -> Void)...) {
  let group = DispatchGroup()
  for party in parties { DispatchQueue.global().async(group: group, execute: party) }
  group.wait()
}

/// Runs closures at once, each in a task, and returns when all have ended.
func inTasks(_ parties: (@Sendable () async -> Void)...) async {
  await withTaskGroup(of: Void.self) { group in
    for party in parties { group.addTask(operation: party) }
  }
}

/// Runs an asynchronous closure in a task and returns its result.
func inTask<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
  let result = Guarded<Value?>(nil)
  let done = DispatchSemaphore(value: 0)
  Task {
    let value = await body()
    result.set(value)
    done.signal()
  }
  done.wait()
  return result.value!
}

/// Stands for a call of another service.
func ask() async { await Task.yield() }

/// A value whose every access is under a lock.
final class Guarded<Value: Sendable>: @unchecked Sendable {
  // Unchecked: the lock protects the value.
  private let lock = NSLock()
  private var stored: Value

  init(_ value: Value) { stored = value }

  var value: Value { lock.withLock { stored } }

  func set(_ value: Value) { lock.withLock { stored = value } }

  /// Reads and changes the value under one hold of the lock.
  func update<Result>(_ change: (inout Value) throws -> Result) rethrows -> Result {
    try lock.withLock { try change(&stored) }
  }
}
