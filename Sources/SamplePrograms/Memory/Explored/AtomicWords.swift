import Programs
import Synchronization

private final class Word: Sendable {
  let value: Atomic<Int>
  init(_ value: Int = 0) { self.value = Atomic(value) }
}

/// A single atomic that several threads change.
let atomicWordPrograms: [Program] = [
  Program(
    "atomic-lost-update", "two threads load a number, and store it with one more",
    .failsInSomeOrder(.violation), twin: "both threads add to the number"
  ) {
    let count = Word()
    let add: @Sendable () -> Void = {
      let old = count.value.load(ordering: .relaxed)
      count.value.store(old + 1, ordering: .relaxed)
    }
    together(add, add)
    let found = count.value.load(ordering: .relaxed)
    try expect(found == 2, "2 additions gave \(found)")
  } right: {
    let count = Word()
    let add: @Sendable () -> Void = { count.value.add(1, ordering: .relaxed) }
    together(add, add)
    let found = count.value.load(ordering: .relaxed)
    try expect(found == 2, "2 additions gave \(found)")
  },

  Program(
    "atomic-over-the-limit", "two threads ask for room below a limit, and take it with an addition",
    .failsInSomeOrder(.violation), twin: "a compare-exchange takes the room that was seen"
  ) {
    let used = Word(1)
    let take: @Sendable () -> Void = {
      if used.value.load(ordering: .relaxed) < 2 { used.value.add(1, ordering: .relaxed) }
    }
    together(take, take)
    let found = used.value.load(ordering: .relaxed)
    try expect(found <= 2, "\(found) of 2 places are used")
  } right: {
    let used = Word(1)
    let take: @Sendable () -> Void = {
      var seen = used.value.load(ordering: .relaxed)
      while seen < 2 {
        let (done, original) = used.value.compareExchange(
          expected: seen, desired: seen + 1, ordering: .relaxed)
        if done { return }
        seen = original
      }
    }
    together(take, take)
    let found = used.value.load(ordering: .relaxed)
    try expect(found <= 2, "\(found) of 2 places are used")
  },

  Program(
    "atomic-maximum", "two threads store a number if it is larger than the one that they load",
    .failsInSomeOrder(.violation), twin: "a compare-exchange is repeated until none is larger"
  ) {
    let largest = Word()
    let offer: @Sendable (Int) -> Void = { number in
      if number > largest.value.load(ordering: .relaxed) {
        largest.value.store(number, ordering: .relaxed)
      }
    }
    together({ offer(1) }, { offer(2) })
    let found = largest.value.load(ordering: .relaxed)
    try expect(found == 2, "the largest of 1 and 2 is \(found)")
  } right: {
    let largest = Word()
    let offer: @Sendable (Int) -> Void = { number in
      var seen = largest.value.load(ordering: .relaxed)
      while number > seen {
        let (done, original) = largest.value.compareExchange(
          expected: seen, desired: number, ordering: .relaxed)
        if done { return }
        seen = original
      }
    }
    together({ offer(1) }, { offer(2) })
    let found = largest.value.load(ordering: .relaxed)
    try expect(found == 2, "the largest of 1 and 2 is \(found)")
  },

  Program(
    "atomic-lost-flag", "two threads set a bit of a loaded word, and store it",
    .failsInSomeOrder(.violation), twin: "each bit is set by an atomic or"
  ) {
    let flags = Word()
    let set: @Sendable (Int) -> Void = { bit in
      let old = flags.value.load(ordering: .relaxed)
      flags.value.store(old | bit, ordering: .relaxed)
    }
    together({ set(1) }, { set(2) })
    let found = flags.value.load(ordering: .relaxed)
    try expect(found == 3, "the flags are \(found)")
  } right: {
    let flags = Word()
    together(
      { flags.value.bitwiseOr(1, ordering: .relaxed) },
      { flags.value.bitwiseOr(2, ordering: .relaxed) })
    let found = flags.value.load(ordering: .relaxed)
    try expect(found == 3, "the flags are \(found)")
  },

  Program(
    "atomic-exchanged-blindly", "a total is computed from a loaded value, and exchanged",
    .failsInSomeOrder(.violation), twin: "the exchange is made only if the value is the loaded one"
  ) {
    let total = Word(10)
    let double: @Sendable () -> Void = {
      let seen = total.value.load(ordering: .relaxed)
      _ = total.value.exchange(2 * seen, ordering: .relaxed)
    }
    together(double, double)
    let found = total.value.load(ordering: .relaxed)
    try expect(found == 40, "10 doubled twice is \(found)")
  } right: {
    let total = Word(10)
    let double: @Sendable () -> Void = {
      while true {
        let seen = total.value.load(ordering: .relaxed)
        let done = total.value.compareExchange(
          expected: seen, desired: 2 * seen, ordering: .relaxed
        ).exchanged
        if done { return }
      }
    }
    together(double, double)
    let found = total.value.load(ordering: .relaxed)
    try expect(found == 40, "10 doubled twice is \(found)")
  },

  Program(
    "atomic-latch-counts-wrong", "two arrivals at a latch load the count, and store one less",
    .failsInSomeOrder(.timedOut), twin: "each arrival subtracts one"
  ) {
    let left = Word(2)
    let arrive: @Sendable () -> Void = {
      let old = left.value.load(ordering: .relaxed)
      left.value.store(old - 1, ordering: .releasing)
    }
    together(arrive, arrive, { while left.value.load(ordering: .acquiring) > 0 {} })
  } right: {
    let left = Word(2)
    let arrive: @Sendable () -> Void = { left.value.subtract(1, ordering: .releasing) }
    together(arrive, arrive, { while left.value.load(ordering: .acquiring) > 0 {} })
  },

  Program(
    "atomic-value-of-its-own", "two threads set a value, and each uses its own",
    .failsInSomeOrder(.violation), twin: "each uses the value that was there if there was one"
  ) {
    let (value, seen) = (Word(), Word())
    let use: @Sendable (Int) -> Void = { own in
      _ = value.value.compareExchange(
        expected: 0, desired: own, ordering: .acquiringAndReleasing)
      seen.value.bitwiseOr(own, ordering: .relaxed)
    }
    together({ use(1) }, { use(2) })
    let found = seen.value.load(ordering: .relaxed)
    try expect(found != 3, "two values are in use")
  } right: {
    let (value, seen) = (Word(), Word())
    let use: @Sendable (Int) -> Void = { own in
      let (isOwn, other) = value.value.compareExchange(
        expected: 0, desired: own, ordering: .acquiringAndReleasing)
      seen.value.bitwiseOr(isOwn ? own : other, ordering: .relaxed)
    }
    together({ use(1) }, { use(2) })
    let found = seen.value.load(ordering: .relaxed)
    try expect(found != 3, "two values are in use")
  },
]
