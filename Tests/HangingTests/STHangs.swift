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

/// Correct tests of Swift Testing.
@Suite struct STQuiet {
  @Test func sleeps() async throws {
    try await Task.sleep(for: .milliseconds(1_500))
  }
}
