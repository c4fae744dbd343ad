import Dispatch
import Foundation
import Programs

/// Threads that wait for threads that are themselves blocked: the innermost wait is the cause.
let joinPrograms: [Program] = [
  Program(
    "joined-by-semaphore",
    "a thread waits for its worker, which waits for an answer that does not come",
    .hangs(.lostWakeUp), source: "The cause of a hang is its innermost wait, not the join",
    joinedBySemaphore),
  Program(
    "two-blocks-one-signal", "two blocks of a group wait at a semaphore that is signalled once",
    .hangs(.lostWakeUp), source: "Downey, \"The Little Book of Semaphores\": the turnstile",
    oneSignalForTwoBlocks),
  Program(
    "main-queue-behind-lock",
    "a thread holds an NSLock that the main thread wants, and waits for the main queue",
    .hangs(.starvation), source: "The main queue is a pool of one thread",
    mainQueueBehindLock),
]

/// Wrong: as in `completion-not-called`. The join waits for the worker, and is not the fault.
private func joinedBySemaphore() {
  let ended = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    let answered = DispatchSemaphore(value: 0)
    answered.wait()
    ended.signal()
  }
  ended.wait()
}

/// Wrong: as in `one-signal-for-two`. The group waits for its own blocks, and there is no cycle.
private func oneSignalForTwoBlocks() {
  let ready = DispatchSemaphore(value: 0)
  let passed = DispatchGroup()
  for number in 0..<2 {
    DispatchQueue(label: "reader \(number)").async(group: passed) { ready.wait() }
  }
  ready.signal()
  passed.wait()
}

/// Wrong: the thread waits for a block that is queued behind one that wants the lock.
private func mainQueueBehindLock() {
  let model = NSLock()
  let meeting = Meeting()
  Thread.detachNewThread {
    DispatchQueue.main.async {
      meeting.come()
      model.withLock {}
    }
  }
  let shown = DispatchSemaphore(value: 0)
  model.withLock {
    meeting.comeToo()
    DispatchQueue.main.async { shown.signal() }
    shown.wait()
  }
}
