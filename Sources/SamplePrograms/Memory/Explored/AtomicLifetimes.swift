import Programs
import Synchronization

/// An object that is used until it is freed, and the atomics by which users and owner coordinate.
private final class Shared: Sendable {
  let isStopped = Atomic(false)
  let isFreed = Atomic(false)
  let references = Atomic(1)
  let epoch = Atomic(0)
  /// The reader's hazard pointer: 1 for the object, 0 for nothing.
  let hazard = Atomic(0)
  /// The object that new readers find; 0 once it is replaced.
  let current = Atomic(1)
  /// The epoch that a reader is in, plus 1; 0 outside.
  let reader = Atomic(0)
  private let late = Atomic(0)

  func use() {
    if isFreed.load(ordering: .acquiring) { late.add(1, ordering: .relaxed) }
  }
  func free() { isFreed.store(true, ordering: .releasing) }

  func check() throws {
    let found = late.load(ordering: .relaxed)
    try expect(found == 0, "a freed object was used")
  }
}

/// Objects that one thread frees while others use them.
let atomicLifetimePrograms: [Program] = [
  Program(
    "atomic-used-after-stop", "a worker asks whether it is stopped, and then uses what is closed",
    .failsInSomeOrder(.violation), twin: "the worker takes part in the count of users"
  ) {
    let shared = Shared()
    together(
      { if !shared.isStopped.load(ordering: .acquiring) { shared.use() } },
      {
        shared.isStopped.store(true, ordering: .releasing)
        shared.free()
      })
    try shared.check()
  } right: {
    let shared = Shared()
    together(
      {
        shared.references.add(1, ordering: .sequentiallyConsistent)
        if !shared.isStopped.load(ordering: .sequentiallyConsistent) { shared.use() }
        shared.references.subtract(1, ordering: .releasing)
      },
      {
        shared.isStopped.store(true, ordering: .sequentiallyConsistent)
        while shared.references.load(ordering: .sequentiallyConsistent) > 1 {}
        shared.free()
      })
    try shared.check()
  },

  Program(
    "atomic-retained-too-late", "a reference is added if the count is above zero, in two steps",
    .failsInSomeOrder(.violation), twin: "a compare-exchange adds it to the count that was seen"
  ) {
    let shared = Shared()
    let release: @Sendable () -> Void = {
      let left = shared.references.subtract(1, ordering: .acquiringAndReleasing).newValue
      if left == 0 { shared.free() }
    }
    together(
      release,
      {
        guard shared.references.load(ordering: .relaxed) > 0 else { return }
        shared.references.add(1, ordering: .relaxed)
        shared.use()
        release()
      })
    try shared.check()
  } right: {
    let shared = Shared()
    let release: @Sendable () -> Void = {
      let left = shared.references.subtract(1, ordering: .acquiringAndReleasing).newValue
      if left == 0 { shared.free() }
    }
    together(
      release,
      {
        while true {
          let seen = shared.references.load(ordering: .relaxed)
          if seen == 0 { return }
          let done = shared.references.compareExchange(
            expected: seen, desired: seen + 1, ordering: .relaxed
          ).exchanged
          if done { break }
        }
        shared.use()
        release()
      })
    try shared.check()
  },

  Program(
    "hazard-not-seen-again", "a reader sets a hazard pointer, and does not look again",
    .failsInSomeOrder(.violation), twin: "it looks whether the object is still current"
  ) {
    let shared = Shared()
    together(
      {
        let object = shared.current.load(ordering: .acquiring)
        shared.hazard.store(object, ordering: .sequentiallyConsistent)
        if object == 1 { shared.use() }
        shared.hazard.store(0, ordering: .releasing)
      },
      {
        shared.current.store(0, ordering: .sequentiallyConsistent)
        while shared.hazard.load(ordering: .sequentiallyConsistent) == 1 {}
        shared.free()
      })
    try shared.check()
  } right: {
    let shared = Shared()
    together(
      {
        let object = shared.current.load(ordering: .acquiring)
        shared.hazard.store(object, ordering: .sequentiallyConsistent)
        if object == 1, shared.current.load(ordering: .sequentiallyConsistent) == 1 {
          shared.use()
        }
        shared.hazard.store(0, ordering: .releasing)
      },
      {
        shared.current.store(0, ordering: .sequentiallyConsistent)
        while shared.hazard.load(ordering: .sequentiallyConsistent) == 1 {}
        shared.free()
      })
    try shared.check()
  },

  Program(
    "epoch-freed-at-once", "an object is freed though a reader is in its epoch",
    .failsInSomeOrder(.violation), twin: "it is freed when no reader is in the old epoch"
  ) {
    let shared = Shared()
    together(
      {
        let epoch = shared.epoch.load(ordering: .sequentiallyConsistent)
        shared.reader.store(epoch + 1, ordering: .sequentiallyConsistent)
        if shared.current.load(ordering: .sequentiallyConsistent) == 1 { shared.use() }
        shared.reader.store(0, ordering: .releasing)
      },
      {
        shared.current.store(0, ordering: .sequentiallyConsistent)
        shared.epoch.add(1, ordering: .sequentiallyConsistent)
        shared.free()
      })
    try shared.check()
  } right: {
    let shared = Shared()
    together(
      {
        let epoch = shared.epoch.load(ordering: .sequentiallyConsistent)
        shared.reader.store(epoch + 1, ordering: .sequentiallyConsistent)
        if shared.current.load(ordering: .sequentiallyConsistent) == 1 { shared.use() }
        shared.reader.store(0, ordering: .releasing)
      },
      {
        shared.current.store(0, ordering: .sequentiallyConsistent)
        shared.epoch.add(1, ordering: .sequentiallyConsistent)
        while shared.reader.load(ordering: .sequentiallyConsistent) == 1 {}
        shared.free()
      })
    try shared.check()
  },
]
