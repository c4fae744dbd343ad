import Dispatch
import Foundation

/// Runs `body` on `count` dedicated threads, released together, and returns when all have ended.
///
/// The caller is suspended and not blocked, so that tests in parallel do not use up the pool.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) async {
  let arrived = DispatchGroup()
  let start = DispatchSemaphore(value: 0)
  let ended = DispatchGroup()
  for number in 0..<count {
    arrived.enter()
    ended.enter()
    Thread.detachNewThread {
      arrived.leave()
      start.wait()
      body(number)
      ended.leave()
    }
  }
  await suspend(until: arrived)
  for _ in 0..<count { start.signal() }
  await suspend(until: ended)
}

/// Runs `body` on a dedicated thread.
func onThread(_ body: @escaping @Sendable () -> Void) async {
  await onThreads(1) { _ in body() }
}

private func suspend(until group: DispatchGroup) async {
  await withCheckedContinuation { continuation in
    group.notify(queue: .global()) { continuation.resume() }
  }
}

/// A barrier for a number of threads, used once.
final class Rendezvous: Sendable {
  private let missing = DispatchGroup()

  init(of count: Int) {
    for _ in 0..<count { missing.enter() }
  }

  func meet() {
    missing.leave()
    missing.wait()
  }
}
