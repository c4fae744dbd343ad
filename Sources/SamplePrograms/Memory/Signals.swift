import Foundation
import Programs

/// Threads that signal each other that work is done.
let signalPrograms: [Program] = [
  Program(
    "unmarked-signalled-before-write", "a thread signals a semaphore before it writes", .races,
    twin: "it signals after the write",
    wrong: {
      let counter = Counter()
      let done = DispatchSemaphore(value: 0)
      onTwoThreads {
        done.signal()
        counter.value = 1
      } then: {
        done.wait()
        use(counter.value)
      }
    },
    right: {
      let counter = Counter()
      let done = DispatchSemaphore(value: 0)
      onTwoThreads {
        counter.value = 1
        done.signal()
      } then: {
        done.wait()
        use(counter.value)
      }
    }),
  Program(
    "unmarked-group-left-before-write", "a thread leaves a group before it writes", .races,
    twin: "it leaves the group after the write",
    wrong: {
      let counter = Counter()
      let group = DispatchGroup()
      group.enter()
      onTwoThreads {
        group.leave()
        counter.value = 1
      } then: {
        group.wait()
        use(counter.value)
      }
    },
    right: {
      let counter = Counter()
      let group = DispatchGroup()
      group.enter()
      onTwoThreads {
        counter.value = 1
        group.leave()
      } then: {
        group.wait()
        use(counter.value)
      }
    }),
  Program(
    "unmarked-condition-signalled-early",
    "a thread signals a condition and writes when it has unlocked", .races,
    twin: "it writes under the lock",
    wrong: {
      let counter = Counter()
      let done = Counter()
      let condition = NSCondition()
      onTwoThreads {
        condition.withLock {
          done.value = 1
          condition.signal()
        }
        counter.value = 1
      } then: {
        condition.withLock { while done.value == 0 { condition.wait() } }
        use(counter.value)
      }
    },
    right: {
      let counter = Counter()
      let done = Counter()
      let condition = NSCondition()
      onTwoThreads {
        condition.withLock {
          counter.value = 1
          done.value = 1
          condition.signal()
        }
      } then: {
        condition.withLock { while done.value == 0 { condition.wait() } }
        use(counter.value)
      }
    }),
  Program(
    "unmarked-thread-not-joined", "a thread reads what another writes, and joins it afterwards",
    .races, twin: "it joins the thread before it reads",
    wrong: {
      let counter = Counter()
      let thread = Joined { counter.value = 1 }
      letTimePass()
      use(counter.value)
      thread.join()
    },
    right: {
      let counter = Counter()
      let thread = Joined { counter.value = 1 }
      thread.join()
      use(counter.value)
    }),
  Program(
    "written-after-start", "a thread writes what a thread that it has started reads", .races,
    twin: "it writes before it starts the thread",
    wrong: {
      let counter = Counter()
      let thread = Joined {
        letTimePass()
        use(counter.value)
      }
      counter.value = 1
      thread.join()
    },
    right: {
      let counter = Counter()
      counter.value = 1
      Joined { use(counter.value) }.join()
    }),
  Program("condition-hand-over", "two threads hand a number to and fro", .passes) {
    let counter = Counter()
    let condition = NSCondition()
    onThreads(2) { side in
      for _ in 0..<20 {
        condition.withLock {
          while counter.value % 2 != side { condition.wait() }
          counter.value += 1
          condition.broadcast()
        }
      }
    }
  },
  Program("thread-barrier", "threads fill an array in turn at a barrier", .passes) {
    let shelf = Shelf()
    nonisolated(unsafe) let barrier = UnsafeMutablePointer<pthread_barrier_t>.allocate(capacity: 1)
    pthread_barrier_init(barrier, nil, 2)
    onThreads(2) { side in
      for round in 0..<20 {
        if round % 2 == side { shelf.array.append(round) }
        pthread_barrier_wait(barrier)
      }
    }
    pthread_barrier_destroy(barrier)
    barrier.deallocate()
  },
  Program(
    "unmarked-bounded-buffer", "threads pass objects through a buffer of two places", .passes
  ) {
    let shelf = Shelf()
    let lock = NSLock()
    let (free, filled) = (DispatchSemaphore(value: 2), DispatchSemaphore(value: 0))
    onTwoThreads {
      for number in 0..<50 {
        free.wait()
        lock.withLock { shelf.array.append(number) }
        filled.signal()
      }
    } then: {
      for _ in 0..<50 {
        filled.wait()
        use(lock.withLock { shelf.array.removeLast() })
        free.signal()
      }
    }
  },
  Program(
    "unmarked-handed-over-a-pipe", "a thread writes, and another reads after a byte", .passes
  ) {
    let counter = Counter()
    let pipe = Pipe()
    onTwoThreads {
      counter.value = 1
      pipe.fileHandleForWriting.write(Data([1]))
    } then: {
      _ = pipe.fileHandleForReading.availableData
      use(counter.value)
    }
  },
]
