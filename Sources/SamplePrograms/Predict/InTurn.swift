import Foundation

/// Runs each on a thread of its own, the next when the one before has ended: nothing overlaps, so
/// nothing goes wrong.
func inTurn(_ bodies: (@Sendable () -> Void)...) {
  for body in bodies {
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      body()
      ended.signal()
    }
    ended.wait()
  }
}

/// Runs each on a thread of its own, all at a time, and waits for them.
func together(_ bodies: (@Sendable () -> Void)...) {
  let ended = DispatchGroup()
  for body in bodies {
    ended.enter()
    Thread.detachNewThread {
      body()
      ended.leave()
    }
  }
  ended.wait()
}
