import Dispatch
import Foundation
import Programs

/// Calls of foreign code: with a lock held, and without.
let callbackPrograms: [Program] = [
  Program(
    "callback-with-lock-held", "a store notifies its observer of a change under its NSLock",
    .predicts(.callbackUnderLock),
    source: "Bloch, \"Effective Java\", item 79: avoid excessive synchronization",
    callingBack: callbackWithLockHeld),
  Program(
    "callback-after-unlock", "a store notifies its observer of a change after it has unlocked",
    .predicts(), source: "Bloch, \"Effective Java\", item 79: avoid excessive synchronization",
    callingBack: callbackAfterUnlock),
  Program(
    "callback-on-own-queue", "a store notifies its observer of a change on its serial queue",
    .predicts(), source: "Bloch, \"Effective Java\", item 79: avoid excessive synchronization",
    callingBack: callbackOnOwnQueue),
]

private final class Store: @unchecked Sendable {
  private let lock = NSLock()
  // Guarded by the lock.
  private var value = 0

  /// Wrong: the observer may read the value, and then waits for itself; or take another lock, whose
  /// holder wants this one. Bloch, "Effective Java", item 79.
  func setAndTell(_ observer: () -> Void) {
    lock.withLock {
      value += 1
      observer()
    }
  }

  func setThenTell(_ observer: () -> Void) {
    lock.withLock { value += 1 }
    observer()
  }
}

private func callbackWithLockHeld(_ callback: @escaping @Sendable () -> Void) {
  Store().setAndTell(callback)
}

private func callbackAfterUnlock(_ callback: @escaping @Sendable () -> Void) {
  Store().setThenTell(callback)
}

/// Right: the documentation can name the queue, so an observer knows that no other code runs on it
/// meanwhile.
private func callbackOnOwnQueue(_ callback: @escaping @Sendable () -> Void) {
  let queue = DispatchQueue(label: "store")
  queue.async { callback() }
  queue.sync {}
}
