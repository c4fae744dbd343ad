import Foundation

/// Runs each body on its own thread, each after the previous one has ended: nothing overlaps, so
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

/// Runs each body on its own thread, all at once, and waits for them.
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
