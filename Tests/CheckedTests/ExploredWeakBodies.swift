import Foundation
import InterlockTesting
import Synchronization
import Testing

/// Bodies that are correct only with the memory orders that their atomics need.
@Suite(.serialized) struct ExploredWeakBodies {
  final class Mailbox: Sendable {
    let value = Atomic(0)
    let isFull = Atomic(false)
  }

  /// The default model does not find this error.
  @Test func relaxedWithoutTheModel() throws {
    try explore { relaxedMail() }
  }

  @Test func relaxed() throws {
    try explore(.memoryModel(.weak)) { relaxedMail() }
  }

  private func relaxedMail() {
    let mailbox = Mailbox()
    Thread {
      mailbox.value.store(7, ordering: .relaxed)  // fills
      mailbox.isFull.store(true, ordering: .relaxed)  // announces
    }.start()
    while !mailbox.isFull.load(ordering: .relaxed) {}
    #expect(mailbox.value.load(ordering: .relaxed) == 7)
  }

  @Test func rightMail() throws {
    try explore(.memoryModel(.weak)) {
      let mailbox = Mailbox()
      Thread {
        mailbox.value.store(7, ordering: .relaxed)
        mailbox.isFull.store(true, ordering: .releasing)
      }.start()
      while !mailbox.isFull.load(ordering: .acquiring) {}
      #expect(mailbox.value.load(ordering: .relaxed) == 7)
    }
  }

  @Test func relaxedInTasks() async throws {
    try await explore(.memoryModel(.weak)) {
      let mailbox = Mailbox()
      async let sent: Void = {
        mailbox.value.store(7, ordering: .relaxed)
        mailbox.isFull.store(true, ordering: .releasing)
      }()
      async let value = {
        mailbox.isFull.load(ordering: .relaxed) ? mailbox.value.load(ordering: .relaxed) : 7
      }()
      let found = await value
      await sent
      #expect(found == 7)
    }
  }

  /// Plain memory behind a relaxed flag: the accesses race.
  @Test func plainValue() throws {
    try explore(.memoryModel(.weak)) {
      let flag = ExploredAtomics.Flag()
      Thread {
        flag.value = 1
        flag.isSet.store(true, ordering: .relaxed)
      }.start()
      while !flag.isSet.load(ordering: .relaxed) {}
      #expect(flag.value == 1)
    }
  }

  /// Two threads that each set their own flag, and then read the other flag: Dekker's algorithm.
  static func dekker(
    _ set: @escaping @Sendable (borrowing Atomic<Bool>) -> Void,
    _ isSet: @escaping @Sendable (borrowing Atomic<Bool>) -> Bool
  ) -> Int {
    final class Flags: Sendable {
      let first = Atomic(false)
      let second = Atomic(false)
      let inside = Atomic(0)
    }
    let flags = Flags()
    onThreads([
      {
        set(flags.first)
        if !isSet(flags.second) { flags.inside.add(1, ordering: .relaxed) }
      },
      {
        set(flags.second)
        if !isSet(flags.first) { flags.inside.add(1, ordering: .relaxed) }
      },
    ])
    return flags.inside.load(ordering: .relaxed)
  }

  @Test func dekkerAcquiresAndReleases() throws {
    try explore(.memoryModel(.weak)) {
      let inside = Self.dekker(
        { $0.store(true, ordering: .releasing) }, { $0.load(ordering: .acquiring) })
      #expect(inside <= 1)
    }
  }

  @Test func rightDekker() throws {
    try explore(.memoryModel(.weak)) {
      let inside = Self.dekker(
        { $0.store(true, ordering: .sequentiallyConsistent) },
        { $0.load(ordering: .sequentiallyConsistent) })
      #expect(inside <= 1)
    }
  }

  /// Fails in any memory model.
  @Test func lostUpdate() throws {
    try explore(.memoryModel(.weak)) {
      let counter = ExploredAtomics.Counter()
      onTwoThreads { counter.addInTwoSteps() }
      #expect(counter.value.load(ordering: .relaxed) == 2)
    }
  }

  @Test func rightSpinLocks() throws {
    try explore(.memoryModel(.weak)) {
      let flag = ExploredAtomics.Flag()
      onThreads([
        {
          flag.lock()
          flag.value += 1
          flag.unlock()
        },
        {
          flag.lockByExchange()
          flag.value += 1
          flag.unlock()
        },
      ])
      #expect(flag.value == 2)
    }
  }

  @Test func neverSet() throws {
    try explore(.memoryModel(.weak)) {
      let mailbox = Mailbox()
      Thread { mailbox.value.store(1, ordering: .relaxed) }.start()
      while !mailbox.isFull.load(ordering: .relaxed) {}
    }
  }

  /// The token contains the memory model.
  @Test func replayed() throws {
    let token = Token()
    try withKnownIssue {
      try explore(.memoryModel(.weak)) { relaxedMail() }
    } matching: { issue in
      token.read(issue.comments.map(\.rawValue).joined())
    }
    try explore(replay: token.text) { relaxedMail() }
  }
}
