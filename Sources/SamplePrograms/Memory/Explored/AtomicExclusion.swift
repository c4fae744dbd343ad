import Programs
import Synchronization

/// Two threads that exclude each other without a lock: the state of their protocol, and how many
/// are inside.
private final class Exclusion: Sendable {
  private let firstWants = Atomic(false)
  private let secondWants = Atomic(false)
  let turn = Atomic(0)
  private let inside = Atomic(0)
  private let conflicts = Atomic(0)

  func setWants(_ number: Int, _ value: Bool) {
    if number == 0 {
      firstWants.store(value, ordering: .sequentiallyConsistent)
    } else {
      secondWants.store(value, ordering: .sequentiallyConsistent)
    }
  }

  func wants(_ number: Int) -> Bool {
    number == 0
      ? firstWants.load(ordering: .sequentiallyConsistent)
      : secondWants.load(ordering: .sequentiallyConsistent)
  }

  func work() {
    if inside.add(1, ordering: .relaxed).oldValue > 0 { conflicts.add(1, ordering: .relaxed) }
    inside.subtract(1, ordering: .relaxed)
  }

  func check() throws {
    let found = conflicts.load(ordering: .relaxed)
    try expect(found == 0, "both threads are inside")
  }
}

/// Steps that threads take once, or together.
private final class Steps: Sendable {
  let state = Atomic(0)
  let runs = Atomic(0)
  let arrived = Atomic(0)
  let sense = Atomic(false)
  let late = Atomic(0)
}

/// Protocols by which threads exclude or await each other.
let atomicExclusionPrograms: [Program] = [
  Program(
    "peterson-turn-first", "Peterson's threads give the turn away, and then ask to enter",
    .failsInSomeOrder(.violation), twin: "the threads ask first"
  ) {
    let exclusion = Exclusion()
    let enter: @Sendable (Int) -> Void = { own in
      exclusion.turn.store(1 - own, ordering: .sequentiallyConsistent)
      exclusion.setWants(own, true)
      while exclusion.wants(1 - own),
        exclusion.turn.load(ordering: .sequentiallyConsistent) == 1 - own
      {}
      exclusion.work()
      exclusion.setWants(own, false)
    }
    together({ enter(0) }, { enter(1) })
    try exclusion.check()
  } right: {
    let exclusion = Exclusion()
    let enter: @Sendable (Int) -> Void = { own in
      exclusion.setWants(own, true)
      exclusion.turn.store(1 - own, ordering: .sequentiallyConsistent)
      while exclusion.wants(1 - own),
        exclusion.turn.load(ordering: .sequentiallyConsistent) == 1 - own
      {}
      exclusion.work()
      exclusion.setWants(own, false)
    }
    together({ enter(0) }, { enter(1) })
    try exclusion.check()
  },

  Program(
    "dekker-looks-first", "a thread looks at the other's flag before it sets its own",
    .failsInSomeOrder(.violation), twin: "each sets its flag first, and gives up if both are set"
  ) {
    let exclusion = Exclusion()
    let enter: @Sendable (Int) -> Void = { own in
      if exclusion.wants(1 - own) { return }
      exclusion.setWants(own, true)
      exclusion.work()
      exclusion.setWants(own, false)
    }
    together({ enter(0) }, { enter(1) })
    try exclusion.check()
  } right: {
    let exclusion = Exclusion()
    let enter: @Sendable (Int) -> Void = { own in
      exclusion.setWants(own, true)
      if !exclusion.wants(1 - own) { exclusion.work() }
      exclusion.setWants(own, false)
    }
    together({ enter(0) }, { enter(1) })
    try exclusion.check()
  },

  Program(
    "dekker-waits-for-both", "each thread sets its flag, and waits for the other's end",
    .failsInSomeOrder(.timedOut), twin: "a thread without the turn clears its flag meanwhile"
  ) {
    let exclusion = Exclusion()
    let enter: @Sendable (Int) -> Void = { own in
      exclusion.setWants(own, true)
      while exclusion.wants(1 - own) {}
      exclusion.work()
      exclusion.setWants(own, false)
    }
    together({ enter(0) }, { enter(1) })
    try exclusion.check()
  } right: {
    let exclusion = Exclusion()
    let enter: @Sendable (Int) -> Void = { own in
      exclusion.setWants(own, true)
      while exclusion.wants(1 - own) {
        guard exclusion.turn.load(ordering: .sequentiallyConsistent) != own else { continue }
        exclusion.setWants(own, false)
        while exclusion.turn.load(ordering: .sequentiallyConsistent) != own {}
        exclusion.setWants(own, true)
      }
      exclusion.work()
      exclusion.turn.store(1 - own, ordering: .sequentiallyConsistent)
      exclusion.setWants(own, false)
    }
    together({ enter(0) }, { enter(1) })
    try exclusion.check()
  },

  Program(
    "atomic-once-twice", "two threads see that an initialiser has not run, and run it",
    .failsInSomeOrder(.violation), twin: "one thread claims the initialiser, the other waits for it"
  ) {
    let steps = Steps()
    let initialise: @Sendable () -> Void = {
      guard steps.state.load(ordering: .acquiring) == 0 else { return }
      steps.runs.add(1, ordering: .relaxed)
      steps.state.store(2, ordering: .releasing)
    }
    together(initialise, initialise)
    let runs = steps.runs.load(ordering: .relaxed)
    try expect(runs == 1, "the initialiser ran \(runs) times")
  } right: {
    let steps = Steps()
    let initialise: @Sendable () -> Void = {
      let claimed = steps.state.compareExchange(
        expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .acquiring
      ).exchanged
      if claimed {
        steps.runs.add(1, ordering: .relaxed)
        steps.state.store(2, ordering: .releasing)
      } else {
        while steps.state.load(ordering: .acquiring) != 2 {}
      }
    }
    together(initialise, initialise)
    let runs = steps.runs.load(ordering: .relaxed)
    try expect(runs == 1, "the initialiser ran \(runs) times")
  },

  Program(
    "atomic-once-not-awaited", "a thread uses what another one has only begun to initialise",
    .failsInSomeOrder(.violation), twin: "it waits until the initialiser has ended"
  ) {
    let steps = Steps()
    let use: @Sendable () -> Void = {
      if steps.state.exchange(1, ordering: .acquiring) == 0 {
        steps.runs.store(1, ordering: .releasing)
      }
      if steps.runs.load(ordering: .acquiring) == 0 { steps.late.add(1, ordering: .relaxed) }
    }
    together(use, use)
    let late = steps.late.load(ordering: .relaxed)
    try expect(late == 0, "a value was used before it was made")
  } right: {
    let steps = Steps()
    let use: @Sendable () -> Void = {
      if steps.state.exchange(1, ordering: .acquiring) == 0 {
        steps.runs.store(1, ordering: .releasing)
      }
      while steps.runs.load(ordering: .acquiring) == 0 {}
    }
    together(use, use)
    let late = steps.late.load(ordering: .relaxed)
    try expect(late == 0, "a value was used before it was made")
  },

  Program(
    "atomic-barrier-used-again", "a barrier sets its count back after it has let threads through",
    .failsInSomeOrder(.timedOut), twin: "it sets its count back first, and changes its sense"
  ) {
    let steps = Steps()
    let pass: @Sendable () -> Void = {
      if steps.arrived.add(1, ordering: .acquiringAndReleasing).newValue == 2 {
        steps.arrived.store(0, ordering: .releasing)
      } else {
        while steps.arrived.load(ordering: .acquiring) != 0 {}
      }
    }
    let twice: @Sendable () -> Void = {
      pass()
      pass()
    }
    together(twice, twice)
  } right: {
    let steps = Steps()
    let pass: @Sendable (Bool) -> Void = { sense in
      if steps.arrived.add(1, ordering: .acquiringAndReleasing).newValue == 2 {
        steps.arrived.store(0, ordering: .relaxed)
        steps.sense.store(sense, ordering: .releasing)
      } else {
        while steps.sense.load(ordering: .acquiring) != sense {}
      }
    }
    let twice: @Sendable () -> Void = {
      pass(true)
      pass(false)
    }
    together(twice, twice)
  },
]
