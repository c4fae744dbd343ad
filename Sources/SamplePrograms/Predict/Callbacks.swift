import Dispatch
import Foundation

/// Code of somebody else's that is called: with a lock held, and without.
let callbackPrograms: [PredictProgram] = [
  PredictProgram(
    "callback-with-lock-held", "a store tells its observer of a change under its NSLock",
    callingBack: callbackWithLockHeld),
  PredictProgram(
    "callback-after-unlock", "a store tells its observer of a change when it has unlocked",
    callingBack: callbackAfterUnlock),
  PredictProgram(
    "callback-on-own-queue", "a store tells its observer of a change on its serial queue",
    callingBack: callbackOnOwnQueue),
]

private final class Store: @unchecked Sendable {
  private let lock = NSLock()
  // Under the lock.
  private var value = 0

  /// Wrong: the observer may want the value, and waits for itself then; or for another lock, whose
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

/// Right: whoever is told on a queue can know on which, and that it lets nobody else in meanwhile.
private func callbackOnOwnQueue(_ callback: @escaping @Sendable () -> Void) {
  let queue = DispatchQueue(label: "store")
  queue.async { callback() }
  queue.sync {}
}
