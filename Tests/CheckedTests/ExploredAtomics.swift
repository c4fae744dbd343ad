import Foundation
import InterlockTesting
import Synchronization
import Testing

/// Explored bodies that synchronise by atomics.
@Suite(.serialized) struct ExploredAtomics {
  final class Counter: Sendable {
    let value = Atomic(0)
    func addInTwoSteps() {
      let old = value.load(ordering: .relaxed)
      value.store(old + 1, ordering: .relaxed)
    }
  }

  final class Flag: @unchecked Sendable {
    // Unchecked: the flag orders the accesses of the value.
    let isSet = Atomic(false)
    var value = 0
    /// The number of times that a loop has read the flag. Accessed by one thread.
    var rounds = 0

    func lock() {
      while !isSet.compareExchange(
        expected: false, desired: true, successOrdering: .acquiring, failureOrdering: .relaxed
      ).exchanged {}
    }
    func lockByExchange() { while isSet.exchange(true, ordering: .acquiring) {} }
    func unlock() { isSet.store(false, ordering: .releasing) }
  }

  @Test func lostUpdate() throws {
    try explore {
      let counter = Counter()
      onTwoThreads { counter.addInTwoSteps() }
      #expect(counter.value.load(ordering: .relaxed) == 2)
    }
  }

  @Test func inTasks() async throws {
    try await explore {
      let counter = Counter()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 { group.addTask { counter.addInTwoSteps() } }
      }
      #expect(counter.value.load(ordering: .relaxed) == 2)
    }
  }

  /// The token replays the order.
  @Test func replayed() throws {
    let token = Token()
    for _ in 0..<2 {
      try withKnownIssue {
        try explore(replay: token.text) {
          let counter = Counter()
          onTwoThreads { counter.addInTwoSteps() }
          #expect(counter.value.load(ordering: .relaxed) == 2)
        }
      } matching: { issue in
        token.read(issue.comments.map(\.rawValue).joined())
      }
    }
  }

  @Test func rightAddition() throws {
    try explore {
      let counter = Counter()
      onTwoThreads { counter.value.add(1, ordering: .relaxed) }
      #expect(counter.value.load(ordering: .relaxed) == 2)
    }
  }

  @Test func rightFlag() throws {
    try explore {
      let flag = Flag()
      Thread {
        flag.value = 1
        flag.isSet.store(true, ordering: .releasing)
      }.start()
      while !flag.isSet.load(ordering: .acquiring) {}
      #expect(flag.value == 1)
    }
  }

  @Test func rightFlagWithYields() throws {
    try explore {
      let flag = Flag()
      Thread { flag.isSet.store(true, ordering: .releasing) }.start()
      while !flag.isSet.load(ordering: .acquiring) { sched_yield() }
    }
  }

  @Test func rightFlagInTask() async throws {
    try await explore(.poolWidth(2)) {
      let flag = Flag()
      async let setting: Void = flag.isSet.store(true, ordering: .releasing)
      while !flag.isSet.load(ordering: .acquiring) {}
      await setting
    }
  }

  /// On a pool of one thread, the loop keeps the thread that would end it. The budget leaves time
  /// for the search for a sufficient width, even on a busy machine.
  @Test func spinsOnNarrowPool() async throws {
    try await explore(.budget(.seconds(200))) {
      let flag = Flag()
      async let setting: Void = flag.isSet.store(true, ordering: .releasing)
      while !flag.isSet.load(ordering: .acquiring) {}
      await setting
    }
  }

  @Test func rightSpinLock() throws {
    try explore {
      let flag = Flag()
      onTwoThreads {
        flag.lock()
        flag.value += 1
        flag.unlock()
      }
      #expect(flag.value == 2)
    }
  }

  @Test func rightExchange() throws {
    try explore {
      let flag = Flag()
      onTwoThreads {
        flag.lockByExchange()
        flag.value += 1
        flag.unlock()
      }
      #expect(flag.value == 2)
    }
  }

  @Test func neverSet() throws {
    try explore {
      let flag = Flag()
      while !flag.isSet.load(ordering: .acquiring) {}
    }
  }

  @Test func localRounds() throws {
    try explore {
      let flag = Flag()
      Thread { flag.isSet.store(true, ordering: .relaxed) }.start()
      var rounds = 0
      while rounds < 3, !flag.isSet.load(ordering: .relaxed) { rounds += 1 }
      #expect(rounds != 2)
    }
  }

  @Test func propertyRounds() throws {
    try explore {
      let flag = Flag()
      Thread { flag.isSet.store(true, ordering: .relaxed) }.start()
      while flag.rounds < 3, !flag.isSet.load(ordering: .relaxed) { flag.rounds += 1 }
      #expect(flag.rounds != 2)
    }
  }

  @Test func roundsInTask() async throws {
    try await explore {
      let flag = Flag()
      async let setting: Void = flag.isSet.store(true, ordering: .relaxed)
      var rounds = 0
      while rounds < 3, !flag.isSet.load(ordering: .relaxed) { rounds += 1 }
      #expect(rounds != 2)
      await setting
    }
  }
}
