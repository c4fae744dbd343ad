import Dispatch
import Foundation

/// Queues that are called synchronously: a serial one is a lock with a thread.
let queuePrograms: [PredictProgram] = [
  PredictProgram(
    "queues-both-ways", "two serial queues sync on each other, one call at a time",
    queuesBothWays),
  PredictProgram(
    "queues-answer-asynchronously", "two serial queues call each other, one of them by async",
    queuesAnswerAsynchronously),
  PredictProgram(
    "barriers-both-ways", "two concurrent queues are written by barriers, nested either way",
    barriersBothWays),
  PredictProgram(
    "reads-of-queues-both-ways", "two concurrent queues are read by sync, nested either way",
    readsOfQueuesBothWays),
  PredictProgram(
    "target-queue-both-ways", "two serial queues of one target, and a lock between them",
    targetQueueBothWays),
]

/// Wrong: the model saves under the database's queue what the database reads under the model's.
private func queuesBothWays() {
  let model = DispatchQueue(label: "model")
  let database = DispatchQueue(label: "database")
  inTurn({ model.sync { database.sync {} } }, { database.sync { model.sync {} } })
}

/// Right: who hands a block over does not wait for it.
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

/// Right as long as nobody writes: those who only read let each other in.
private func readsOfQueuesBothWays() {
  let names = DispatchQueue(label: "names", attributes: .concurrent)
  let numbers = DispatchQueue(label: "numbers", attributes: .concurrent)
  together(
    { for _ in 0..<50 { names.sync { numbers.sync {} } } },
    { for _ in 0..<50 { numbers.sync { names.sync {} } } })
}

/// Wrong: no queue is taken in two orders, but what both run on is one.
private func targetQueueBothWays() {
  let network = DispatchQueue(label: "network")
  let requests = DispatchQueue(label: "requests", target: network)
  let answers = DispatchQueue(label: "answers", target: network)
  let session = NSLock()
  inTurn(
    { requests.sync { session.withLock {} } },
    { session.withLock { answers.sync {} } })
}
