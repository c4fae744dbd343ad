import Programs
import Synchronization

/// A ring of two places, with the indexes of its ends.
private final class Ring: Sendable {
  let head = Atomic(0)
  let tail = Atomic(0)
  private let first = Atomic(0)
  private let second = Atomic(0)
  private let sum = Atomic(0)

  func put(_ value: Int, at index: Int) {
    if index % 2 == 0 {
      first.store(value, ordering: .releasing)
    } else {
      second.store(value, ordering: .releasing)
    }
  }

  func value(at index: Int) -> Int {
    index % 2 == 0
      ? first.load(ordering: .acquiring) : second.load(ordering: .acquiring)
  }

  /// Counts a value that a thread has taken.
  func take(_ value: Int) { sum.add(value, ordering: .relaxed) }

  func check(_ expected: Int) throws {
    let found = sum.load(ordering: .relaxed)
    try expect(found == expected, "the values taken are \(found) together, not \(expected)")
  }
}

/// Two words that are changed together.
private final class Pair: Sendable {
  let first = Atomic(0)
  let second = Atomic(0)
  let sequence = Atomic(0)
  private let torn = Atomic(0)

  func see(_ one: Int, _ other: Int) {
    if one != other { torn.add(1, ordering: .relaxed) }
  }

  func check() throws {
    let found = torn.load(ordering: .relaxed)
    try expect(found == 0, "half of a change was seen")
  }
}

/// Values that pass from thread to thread without a lock.
let atomicRingPrograms: [Program] = [
  Program(
    "ring-announced-first", "a producer moves the tail of a ring, and then fills the place",
    .failsInSomeOrder(.violation), twin: "it fills the place first"
  ) {
    let ring = Ring()
    together(
      {
        ring.tail.store(1, ordering: .releasing)
        ring.put(7, at: 0)
      },
      {
        while ring.tail.load(ordering: .acquiring) == 0 {}
        ring.take(ring.value(at: 0))
      })
    try ring.check(7)
  } right: {
    let ring = Ring()
    together(
      {
        ring.put(7, at: 0)
        ring.tail.store(1, ordering: .releasing)
      },
      {
        while ring.tail.load(ordering: .acquiring) == 0 {}
        ring.take(ring.value(at: 0))
      })
    try ring.check(7)
  },

  Program(
    "ring-freed-first", "a consumer gives a place back, and then reads it",
    .failsInSomeOrder(.violation), twin: "it reads the place first"
  ) {
    let ring = Ring()
    ring.put(1, at: 0)
    ring.put(2, at: 1)
    ring.tail.store(2, ordering: .relaxed)
    together(
      {
        while ring.head.load(ordering: .acquiring) == 0 {}
        ring.put(4, at: 2)
      },
      {
        ring.head.store(1, ordering: .releasing)
        ring.take(ring.value(at: 0))
      })
    try ring.check(1)
  } right: {
    let ring = Ring()
    ring.put(1, at: 0)
    ring.put(2, at: 1)
    ring.tail.store(2, ordering: .relaxed)
    together(
      {
        while ring.head.load(ordering: .acquiring) == 0 {}
        ring.put(4, at: 2)
      },
      {
        let value = ring.value(at: 0)
        ring.head.store(1, ordering: .releasing)
        ring.take(value)
      })
    try ring.check(1)
  },

  Program(
    "ring-two-producers", "two producers take a place of a ring by a load and a store",
    .failsInSomeOrder(.violation), twin: "an addition takes a place"
  ) {
    let ring = Ring()
    let produce: @Sendable (Int) -> Void = { value in
      let place = ring.tail.load(ordering: .relaxed)
      ring.tail.store(place + 1, ordering: .relaxed)
      ring.put(value, at: place)
    }
    together({ produce(1) }, { produce(2) })
    ring.take(ring.value(at: 0) + ring.value(at: 1))
    try ring.check(3)
  } right: {
    let ring = Ring()
    let produce: @Sendable (Int) -> Void = { value in
      ring.put(value, at: ring.tail.add(1, ordering: .relaxed).oldValue)
    }
    together({ produce(1) }, { produce(2) })
    ring.take(ring.value(at: 0) + ring.value(at: 1))
    try ring.check(3)
  },

  Program(
    "ring-two-consumers", "two consumers see a value in a ring, and then move the head",
    .failsInSomeOrder(.violation), twin: "the consumer that moves the head has the value"
  ) {
    let ring = Ring()
    ring.put(1, at: 0)
    ring.tail.store(1, ordering: .relaxed)
    let consume: @Sendable () -> Void = {
      let place = ring.head.load(ordering: .acquiring)
      guard place < ring.tail.load(ordering: .acquiring) else { return }
      ring.head.store(place + 1, ordering: .releasing)
      ring.take(ring.value(at: place))
    }
    together(consume, consume)
    try ring.check(1)
  } right: {
    let ring = Ring()
    ring.put(1, at: 0)
    ring.tail.store(1, ordering: .relaxed)
    let consume: @Sendable () -> Void = {
      let place = ring.head.load(ordering: .acquiring)
      guard place < ring.tail.load(ordering: .acquiring) else { return }
      let value = ring.value(at: place)
      let isMine = ring.head.compareExchange(
        expected: place, desired: place + 1, successOrdering: .acquiringAndReleasing,
        failureOrdering: .relaxed
      ).exchanged
      if isMine { ring.take(value) }
    }
    together(consume, consume)
    try ring.check(1)
  },

  Program(
    "chase-lev-last-value", "the owner of a deque takes its last value without asking the thief",
    .failsInSomeOrder(.violation), twin: "both take it by a compare-exchange of the top"
  ) {
    let deque = Ring()
    deque.put(1, at: 0)
    deque.tail.store(1, ordering: .relaxed)
    together(
      {
        let bottom = deque.tail.subtract(1, ordering: .sequentiallyConsistent).newValue
        if deque.head.load(ordering: .sequentiallyConsistent) <= bottom {
          deque.take(deque.value(at: bottom))
        }
      },
      {
        let top = deque.head.load(ordering: .sequentiallyConsistent)
        guard top < deque.tail.load(ordering: .sequentiallyConsistent) else { return }
        let value = deque.value(at: top)
        let isMine = deque.head.compareExchange(
          expected: top, desired: top + 1, ordering: .sequentiallyConsistent
        ).exchanged
        if isMine { deque.take(value) }
      })
    try deque.check(1)
  } right: {
    let deque = Ring()
    deque.put(1, at: 0)
    deque.tail.store(1, ordering: .relaxed)
    together(
      {
        let bottom = deque.tail.subtract(1, ordering: .sequentiallyConsistent).newValue
        let top = deque.head.load(ordering: .sequentiallyConsistent)
        guard top <= bottom else { return }
        let value = deque.value(at: bottom)
        let isMine =
          top < bottom
          || deque.head.compareExchange(
            expected: top, desired: top + 1, ordering: .sequentiallyConsistent
          ).exchanged
        if isMine { deque.take(value) }
      },
      {
        let top = deque.head.load(ordering: .sequentiallyConsistent)
        guard top < deque.tail.load(ordering: .sequentiallyConsistent) else { return }
        let value = deque.value(at: top)
        let isMine = deque.head.compareExchange(
          expected: top, desired: top + 1, ordering: .sequentiallyConsistent
        ).exchanged
        if isMine { deque.take(value) }
      })
    let found = deque.head.load(ordering: .relaxed)
    try expect(found <= 1, "the last value was taken twice")
  },

  Program(
    "sequence-lock-looks-once", "a reader looks at the sequence before it reads, and not after",
    .failsInSomeOrder(.violation), twin: "it reads again if the sequence has changed"
  ) {
    let pair = Pair()
    together(
      {
        pair.sequence.add(1, ordering: .acquiringAndReleasing)
        pair.first.store(1, ordering: .relaxed)
        pair.second.store(1, ordering: .relaxed)
        pair.sequence.add(1, ordering: .releasing)
      },
      {
        while pair.sequence.load(ordering: .acquiring) % 2 == 1 {}
        let first = pair.first.load(ordering: .relaxed)
        pair.see(first, pair.second.load(ordering: .relaxed))
      })
    try pair.check()
  } right: {
    let pair = Pair()
    together(
      {
        pair.sequence.add(1, ordering: .acquiringAndReleasing)
        // A reader that sees one of these stores also sees the sequence number.
        pair.first.store(1, ordering: .releasing)
        pair.second.store(1, ordering: .releasing)
        pair.sequence.add(1, ordering: .releasing)
      },
      {
        while true {
          let before = pair.sequence.load(ordering: .acquiring)
          let first = pair.first.load(ordering: .acquiring)
          let second = pair.second.load(ordering: .acquiring)
          let after = pair.sequence.load(ordering: .relaxed)
          guard before == after, before % 2 == 0 else { continue }
          pair.see(first, second)
          return
        }
      })
    try pair.check()
  },
]
