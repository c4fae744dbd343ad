import Dispatch
import Foundation
import Testing

/// Tests of Swift Testing that hang.
@Suite("Hangs")
struct STHangs {
  @Test("takes a lock again")
  func relock() {
    let lock = NSLock()
    lock.lock()
    lock.lock()  // relock: asks again
  }

  @Test func neverResumed() async {
    await withCheckedContinuation { keep($0) }  // neverResumed: waits
  }

  @Test func tasksCrossed() async {
    await crossTasks()
  }

  @Test func actorBlocked() async {
    let gate = Gate()
    async let entered: Void = gate.enter()
    await gate.waitUntilEntered()
    await gate.open()  // actorBlocked: waits
    await entered
  }

  @Test(arguments: [1, 2])
  func argument(_ number: Int) async {
    if number == 2 { await withCheckedContinuation { keep($0) } }
  }
}

/// Tests of Swift Testing that leave a lock locked.
@Suite struct STLeft {
  @Test func leftLocked() { leaveLocked() }

  @Test func heldAcrossAwait() async {
    leaveLocked()
    await Task.yield()
  }
}

/// Tests of Swift Testing that wait on the thread of their task.
@Suite struct STWaits {
  // Synchronous: the library chooses the thread, and no task must run before the wait can end.
  @Test func forOwnQueue() {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue(label: "own").async { signalLate(done) }
    done.wait()
  }

  @Test func forOwnGroup() {
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) { usleep(50_000) }
    group.wait()
  }

  @Test func forTask() {
    let done = DispatchSemaphore(value: 0)
    Task { signalLate(done) }
    done.wait()  // forTask: waits
  }

  @Test func inTask() async {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue(label: "own").async { signalLate(done) }
    block(at: done)
  }

  @Test func inChildTask() async {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue(label: "own").async { signalLate(done) }
    await Task { block(at: done) }.value
  }
}

/// Signals once the waiter waits, even on a busy machine.
private func signalLate(_ semaphore: DispatchSemaphore) {
  usleep(50_000)
  semaphore.signal()
}

/// Correct tests of Swift Testing.
@Suite struct STQuiet {
  @Test func sleeps() async throws {
    try await Task.sleep(for: .milliseconds(1_500))
  }
}
