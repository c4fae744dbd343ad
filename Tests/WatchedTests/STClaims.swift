import Foundation
import InterlockTesting
import Testing

/// Explored bodies that pass, and whose answers name the orders that were left out.
@Suite(.serialized) struct STClaims {
  /// Unchecked: the condition protects the value.
  final class Gate: @unchecked Sendable {
    private let condition = NSCondition()
    private var isOpen = false

    func open() {
      condition.withLock {
        isOpen = true
        condition.broadcast()
      }
    }

    func pass() { condition.withLock { while !isOpen { condition.wait() } } }

    var isPassable: Bool { condition.withLock { isOpen } }
  }

  @Test func oneOrder() throws { try explore {} }

  @Test func twoOrders() throws {
    try explore { onTwo { $0.withLock {} } }
  }

  @Test func exactTimes() throws {
    try explore(.exactTime) {
      usleep(1000)
      onTwo { $0.withLock {} }
    }
  }

  @Test func onePool() throws {
    try explore(.poolWidth(1)) {}
  }

  @Test func sleepingLoop() throws {
    try explore {
      let gate = Gate()
      Thread { gate.open() }.start()
      while !gate.isPassable { usleep(1000) }
    }
  }

  @Test func yieldingLoop() throws {
    try explore {
      let gate = Gate()
      Thread { gate.open() }.start()
      while !gate.isPassable { sched_yield() }
    }
  }

  private static let gate = Gate()

  /// The first execution opens the gate for all later ones.
  @Test func keepsState() throws {
    try explore { if !Self.gate.isPassable { Self.gate.open() } }
  }

  @Test func waitingLoop() throws {
    try explore {
      let gate = Gate()
      Thread { gate.open() }.start()
      gate.pass()
    }
  }

  /// One execution covers all orders on a wide pool, and none on a narrow one.
  @Test func taskBlocks() async throws {
    try await explore(.executions(1)) { await waitInTask() }
  }

  /// The executions cover all orders on pools of three or more threads, but not on narrower ones.
  @Test func tasksBlock() async throws {
    try await explore(.executions(20)) {
      async let one: Void = waitInTask()
      async let other: Void = waitInTask()
      _ = await (one, other)
    }
  }

  /// A task that holds a lock waits; another task that wants the lock can block the pool's thread.
  @Test func taskWaitsWithLock() async throws {
    try await explore(.executions(1)) { await waitWithLock(NSLock()) }
  }

  /// The lock is free again before the task waits.
  @Test func taskWaitsWithoutLock() async throws {
    try await explore {
      let lock = NSLock()
      lock.withLock {}
      await Task {}.value
    }
  }

  @Test func taskBlocksOnNarrowPools() async throws {
    try await explore { await waitInTask() }
  }

  @Test func fewOfManyOrders() throws {
    try explore(.executions(1)) { onTwo { $0.withLock {} } }
  }
}

/// Runs `work` on two blocks with one lock.
private func onTwo(_ work: @escaping @Sendable (NSLock) -> Void) {
  let lock = NSLock()
  let group = DispatchGroup()
  for _ in 0..<2 { DispatchQueue.global().async(group: group) { work(lock) } }
  group.wait()
}

private func waitWithLock(_ lock: NSLock) async {
  @Sendable func take() { lock.lock() }
  @Sendable func give() { lock.unlock() }
  take()
  await Task {}.value
  give()
}

/// A thread ends the wait, so each width of the pool suffices.
private func waitInTask() async {
  let isReady = DispatchSemaphore(value: 0)
  @Sendable func wait() { isReady.wait() }
  async let waiting: Void = wait()
  Thread { isReady.signal() }.start()
  await waiting
}
