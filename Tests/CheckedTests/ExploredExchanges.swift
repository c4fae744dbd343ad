import Foundation
import InterlockTesting
import Synchronization
import Testing

/// Explored bodies with exchanges that may fail although they find the expected value.
@Suite(.serialized) struct ExploredExchanges {
  final class Once: Sendable {
    let isBegun = Atomic(false)
    let number = Atomic(0)
    let pair = Atomic(WordPair(first: 0, second: 0))
    let value = Atomic(0)

    /// Takes each failure as a sign that another thread was first.
    func initialise() {
      if isBegun.weakCompareExchange(
        expected: false, desired: true, ordering: .acquiringAndReleasing
      ).exchanged {
        value.store(7, ordering: .relaxed)
      }
    }
    func initialiseByPair() {
      let (isFirst, _) = pair.weakCompareExchange(
        expected: WordPair(first: 0, second: 0), desired: WordPair(first: 1, second: 2),
        ordering: .acquiringAndReleasing)
      if isFirst { value.store(7, ordering: .relaxed) }
    }
    func initialiseStrongly() {
      if isBegun.compareExchange(
        expected: false, desired: true, ordering: .acquiringAndReleasing
      ).exchanged {
        value.store(7, ordering: .relaxed)
      }
    }

    func lock() {
      while !isBegun.weakCompareExchange(
        expected: false, desired: true, successOrdering: .acquiring, failureOrdering: .relaxed
      ).exchanged {}
    }
    func unlock() { isBegun.store(false, ordering: .releasing) }

    /// Continues with the value that a failed exchange has read.
    func add(_ step: Int) {
      var old = number.load(ordering: .relaxed)
      while true {
        let (isDone, found) = number.weakCompareExchange(
          expected: old, desired: old + step, ordering: .relaxed)
        if isDone { return }
        old = found
      }
    }
    func addToPair() {
      var old = pair.load(ordering: .relaxed)
      while true {
        let (isDone, found) = pair.weakCompareExchange(
          expected: old, desired: WordPair(first: old.first + 1, second: old.second + 2),
          ordering: .relaxed)
        if isDone { return }
        old = found
      }
    }
  }

  @Test func singleTry() throws {
    try explore {
      let once = Once()
      once.initialise()
      #expect(once.value.load(ordering: .relaxed) == 7)
    }
  }

  @Test func singleTryInWeakMemory() throws {
    try explore(.memoryModel(.weak)) {
      let once = Once()
      once.initialise()
      #expect(once.value.load(ordering: .relaxed) == 7)
    }
  }

  @Test func singleTryOfPair() throws {
    try explore(.memoryModel(.weak)) {
      let once = Once()
      once.initialiseByPair()
      #expect(once.value.load(ordering: .relaxed) == 7)
    }
  }

  @Test func singleTryInTask() async throws {
    try await explore {
      let once = Once()
      await Task { once.initialise() }.value
      #expect(once.value.load(ordering: .relaxed) == 7)
    }
  }

  @Test(arguments: [ExploreOption.isolated, .jobs(2)])
  func singleTryElsewhere(_ option: ExploreOption) throws {
    try explore(option) {
      let once = Once()
      onTwoThreads { once.initialise() }
      #expect(once.value.load(ordering: .relaxed) == 7)
    }
  }

  @Test func rightAdditionsInJobs() throws {
    try explore(.jobs(2)) {
      let once = Once()
      onTwoThreads { once.add(2) }
      #expect(once.number.load(ordering: .relaxed) == 4)
    }
  }

  @Test func singleTryInMacro() throws {
    try explore {
      let flag = Once()
      #expect(
        flag.isBegun.weakCompareExchange(expected: false, desired: true, ordering: .relaxed)
          .exchanged)
    }
  }

  /// The token replays the exchange that fails by itself.
  @Test func replayed() throws {
    let token = Token()
    for _ in 0..<2 {
      try withKnownIssue {
        try explore(replay: token.text) {
          let once = Once()
          once.initialise()
          #expect(once.value.load(ordering: .relaxed) == 7)
        }
      } matching: { issue in
        token.read(issue.comments.map(\.rawValue).joined())
      }
    }
  }

  @Test func rightStrongTry() throws {
    try explore {
      let once = Once()
      once.initialiseStrongly()
      #expect(once.value.load(ordering: .relaxed) == 7)
    }
  }

  @Test func rightLock() throws {
    try explore {
      let once = Once()
      onTwoThreads {
        once.lock()
        once.value.store(once.value.load(ordering: .relaxed) + 1, ordering: .relaxed)
        once.unlock()
      }
      #expect(once.value.load(ordering: .relaxed) == 2)
    }
  }

  @Test(arguments: [false, true]) func rightAdditions(areWide: Bool) throws {
    try explore {
      let once = Once()
      onTwoThreads { areWide ? once.addToPair() : once.add(2) }
      let pair = once.pair.load(ordering: .relaxed)
      #expect(once.number.load(ordering: .relaxed) == (areWide ? 0 : 4))
      #expect(pair.first == (areWide ? 2 : 0) && pair.second == (areWide ? 4 : 0))
    }
  }

  @Test(arguments: [false, true]) func rightAdditionsInWeakMemory(areWide: Bool) throws {
    try explore(.memoryModel(.weak)) {
      let once = Once()
      onTwoThreads { areWide ? once.addToPair() : once.add(2) }
      let pair = once.pair.load(ordering: .relaxed)
      #expect(once.number.load(ordering: .relaxed) == (areWide ? 0 : 4))
      #expect(pair.first == (areWide ? 2 : 0) && pair.second == (areWide ? 4 : 0))
    }
  }

  /// A task continues on another thread after each await.
  @Test func rightRetriesInTask() async throws {
    try await explore {
      let once = Once()
      await Task {
        while !once.isBegun.weakCompareExchange(
          expected: false, desired: true, ordering: .acquiring
        ).exchanged { await Task.yield() }
      }.value
    }
  }
}
