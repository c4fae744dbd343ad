import Foundation
import Programs
import Synchronization

/// An atomic flag or number, and plain memory that it guards.
private final class Publication: @unchecked Sendable {
  // Unchecked: the programs decide whether the flag guards the value.
  let flag = Atomic(0)
  var value = 0
  var isReady = false

  func waitAcquiring() { while flag.load(ordering: .acquiring) == 0 { usleep(100) } }
  func waitRelaxed() { while flag.load(ordering: .relaxed) == 0 { usleep(100) } }
}

/// Atomics that publish other memory, and atomics that do not.
let atomicPrograms: [Program] = [
  Program(
    "relaxed-flag", "a relaxed flag announces a value", .races,
    twin: "the flag is released and acquired",
    wrong: {
      let shared = Publication()
      onTwoThreads {
        shared.value = 1
        shared.flag.store(1, ordering: .relaxed)
      } then: {
        shared.waitRelaxed()
        use(shared.value)
      }
    },
    right: {
      let shared = Publication()
      onTwoThreads {
        shared.value = 1
        shared.flag.store(1, ordering: .releasing)
      } then: {
        shared.waitAcquiring()
        use(shared.value)
      }
    }),
  Program(
    "relaxed-reader", "a flag is stored with release and read relaxed", .races,
    twin: "a fence follows the relaxed read",
    wrong: {
      let shared = Publication()
      onTwoThreads {
        shared.value = 1
        shared.flag.store(1, ordering: .releasing)
      } then: {
        shared.waitRelaxed()
        use(shared.value)
      }
    },
    right: {
      let shared = Publication()
      onTwoThreads {
        shared.value = 1
        atomicMemoryFence(ordering: .releasing)
        shared.flag.store(1, ordering: .relaxed)
      } then: {
        shared.waitRelaxed()
        atomicMemoryFence(ordering: .acquiring)
        use(shared.value)
      }
    }),
  Program(
    "plain-flag", "a plain flag announces a value", .races, twin: "the flag is atomic",
    wrong: {
      let shared = Publication()
      onTwoThreads {
        shared.value = 1
        shared.isReady = true
      } then: {
        if shared.isReady { use(shared.value) }
      }
    },
    right: {
      let shared = Publication()
      onTwoThreads {
        shared.value = 1
        shared.flag.store(1, ordering: .sequentiallyConsistent)
      } then: {
        if shared.flag.load(ordering: .sequentiallyConsistent) == 1 { use(shared.value) }
      }
    }),
  Program(
    "stop-flag", "a thread reads a plain flag in a loop until another sets it", .races,
    twin: "the flag is a relaxed atomic, and guards nothing else",
    wrong: {
      let shared = Publication()
      onTwoThreads {
        for _ in 0..<1000 where !shared.isReady { usleep(100) }
      } then: {
        shared.isReady = true
      }
    },
    right: {
      let shared = Publication()
      onTwoThreads {
        while shared.flag.load(ordering: .relaxed) == 0 { usleep(100) }
      } then: {
        shared.flag.store(1, ordering: .relaxed)
      }
    }),
  Program(
    "relaxed-counter-as-lock", "threads enter by a relaxed exchange, as by a lock", .races,
    twin: "the exchange acquires and the store releases",
    wrong: {
      let shared = Publication()
      onTwoThreads {
        while shared.flag.exchange(1, ordering: .relaxed) == 1 { usleep(100) }
        shared.value += 1
        shared.flag.store(0, ordering: .relaxed)
      }
    },
    right: {
      let shared = Publication()
      onThreads(3) { _ in
        for _ in 0..<50 {
          while shared.flag.exchange(1, ordering: .acquiring) == 1 { usleep(10) }
          shared.value += 1
          shared.flag.store(0, ordering: .releasing)
        }
      }
    }),
  Program("atomic-counter", "threads count with relaxed atomics", .passes) {
    let shared = Publication()
    onThreads(4) { _ in for _ in 0..<100 { shared.flag.wrappingAdd(1, ordering: .relaxed) } }
    use(shared.flag.load(ordering: .relaxed))
  },
  Program(
    "unmarked-last-one-out", "the last of several threads reads what all have written", .passes
  ) {
    let shared = Publication()
    nonisolated(unsafe) let numbers = UnsafeMutablePointer<Int>.allocate(capacity: 4)
    onThreads(4) { index in
      numbers[index] = index
      let count = shared.flag.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
      if count == 4 { use((0..<4).reduce(0) { $0 + numbers[$1] }) }
    }
    numbers.deallocate()
  },
  Program("release-sequence", "a relaxed increment stands between release and acquire", .passes) {
    let shared = Publication()
    onTwoThreads {
      shared.value = 1
      shared.flag.store(1, ordering: .releasing)
      shared.flag.wrappingAdd(1, ordering: .relaxed)
    } then: {
      while shared.flag.load(ordering: .acquiring) < 2 { usleep(100) }
      use(shared.value)
    }
  },
]
