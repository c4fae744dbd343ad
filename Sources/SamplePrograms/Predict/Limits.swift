import Dispatch
import Foundation
import Programs

/// Waits with a limit: one in the distant future is no limit.
let limitPrograms: [Program] = [
  Program(
    "semaphores-both-ways-until-the-distant-future",
    "two semaphores are locks, nested either way, and waited for until the distant future",
    .predicts(.lockOrder), source: .lockdep,
    { semaphoresBothWays { _ = $0.wait(timeout: .distantFuture) } }),
  Program(
    "group-of-a-queue-until-the-distant-future",
    "under an NSLock of a queue's blocks, a thread waits until the distant future for their group",
    .predicts(.lockOrder), source: .lockdep,
    { groupUnderLock(until: .distantFuture) }),
  Program(
    "semaphores-both-ways-for-a-time",
    "two semaphores are locks, nested either way, and waited for with a limit", .predicts(),
    source: .lockdep,
    { semaphoresBothWays { _ = $0.wait(timeout: .now() + 60) } }),
  Program(
    "group-of-a-queue-for-a-time",
    "under an NSLock of a queue's blocks, a thread waits for their group, with a limit",
    .predicts(), source: .lockdep,
    { groupUnderLock(until: .now() + 60) }),
]

private func semaphoresBothWays(_ wait: @escaping @Sendable (DispatchSemaphore) -> Void) {
  let index = DispatchSemaphore(value: 1)
  let store = DispatchSemaphore(value: 1)
  @Sendable func update(_ first: DispatchSemaphore, _ second: DispatchSemaphore) {
    wait(first)
    wait(second)
    second.signal()
    first.signal()
  }
  inTurn({ update(index, store) }, { update(store, index) })
}

private func groupUnderLock(until end: DispatchTime) {
  let state = NSLock()
  let events = DispatchQueue(label: "events")
  let handled = DispatchGroup()
  events.async { state.withLock {} }
  events.sync {}
  inTurn({
    state.withLock {
      events.async(group: handled) {}
      _ = handled.wait(timeout: end)
    }
  })
}
