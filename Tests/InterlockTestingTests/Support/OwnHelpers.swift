import Dispatch
import Foundation

/// Locks as the projects of users wrap them: each call of the lock is in this file.
func locked<Result>(_ lock: NSLock, _ body: () -> Result) -> Result {
  lock.lock()
  defer { lock.unlock() }
  return body()
}

/// Makes each lock of a project.
func newLock() -> NSLock { NSLock() }

/// Runs blocks at the same time, and waits for them.
func parallel(_ blocks: (@Sendable () -> Void)...) {
  let group = DispatchGroup()
  for block in blocks { DispatchQueue.global().async(group: group, execute: block) }
  group.wait()
}
