import Dispatch
import Foundation
import Programs

/// Synchronous calls on queues: a serial queue is a lock with a thread.
let queuePrograms: [Program] = [
  Program(
    "queues-both-ways", "two serial queues sync on each other, one call at a time",
    .predicts(.lockOrder), source: .lockdep,
    queuesBothWays),
  Program(
    "queues-answer-asynchronously", "two serial queues call each other, one of them by async",
    .predicts(), source: .lockdep,
    queuesAnswerAsynchronously),
  Program(
    "barriers-both-ways", "two concurrent queues are written by barriers, nested either way",
    .predicts(.lockOrder), source: .lockdep,
    barriersBothWays),
  Program(
    "reads-of-queues-both-ways", "two concurrent queues are read by sync, nested either way",
    .predicts(), source: .lockdep,
    readsOfQueuesBothWays),
  Program(
    "target-queue-both-ways", "two serial queues of one target, and a lock between them",
    .predicts(.lockOrder), source: .lockdep,
    targetQueueBothWays),
]

/// Wrong: a block on either queue waits for the other queue.
private func queuesBothWays() {
  let model = DispatchQueue(label: "model")
  let database = DispatchQueue(label: "database")
  inTurn({ model.sync { database.sync {} } }, { database.sync { model.sync {} } })
}

/// Right: the submitter of a block does not wait for it.
private func queuesAnswerAsynchronously() {
  let model = DispatchQueue(label: "model")
  let database = DispatchQueue(label: "database")
  let answered = DispatchGroup()
  @Sendable func ask() {
    for _ in 0..<50 {
      model.sync { database.sync {} }
      database.sync { model.async(group: answered) {} }
    }
  }
  together(ask, ask)
  answered.wait()
}

private func barriersBothWays() {
  let names = DispatchQueue(label: "names", attributes: .concurrent)
  let numbers = DispatchQueue(label: "numbers", attributes: .concurrent)
  inTurn(
    { names.sync(flags: .barrier) { numbers.sync {} } },
    { numbers.sync(flags: .barrier) { names.sync {} } })
}

/// Right without barriers: readers do not exclude each other.
private func readsOfQueuesBothWays() {
  let names = DispatchQueue(label: "names", attributes: .concurrent)
  let numbers = DispatchQueue(label: "numbers", attributes: .concurrent)
  together(
    { for _ in 0..<50 { names.sync { numbers.sync {} } } },
    { for _ in 0..<50 { numbers.sync { names.sync {} } } })
}

/// Wrong: no queue is taken in two orders, but both have the same target.
private func targetQueueBothWays() {
  let network = DispatchQueue(label: "network")
  let requests = DispatchQueue(label: "requests", target: network)
  let answers = DispatchQueue(label: "answers", target: network)
  let session = NSLock()
  inTurn(
    { requests.sync { session.withLock {} } },
    { session.withLock { answers.sync {} } })
}
