import Foundation

/// Threads: their own values, and what they leave to others.
let threadPairs: [MemoryPair] = [
  MemoryPair(
    "thread-local-shared", "two threads keep one object in their thread dictionaries",
    order: "each keeps an object of its own",
    racy: {
      let counter = Counter()
      onTwoThreads {
        Thread.current.threadDictionary["counter"] = counter
        (Thread.current.threadDictionary["counter"] as? Counter)?.add(1)
      }
    },
    ordered: {
      onTwoThreads {
        Thread.current.threadDictionary["counter"] = Counter()
        (Thread.current.threadDictionary["counter"] as? Counter)?.add(1)
      }
    }),
  MemoryPair(
    "fire-and-forget", "a detached thread writes what its creator reads",
    order: "it signals when it has written",
    racy: {
      let counter = Counter()
      let ended = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        letTimePass()
        counter.value = 1
        ended.signal()
      }
      use(counter.value)
      ended.wait()
    },
    ordered: {
      let counter = Counter()
      let ended = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        counter.value = 1
        ended.signal()
      }
      ended.wait()
      use(counter.value)
    }),
  MemoryPair(correct: "threads-in-sequence", "each thread starts the next, and they share an array")
  {
    let shelf = Shelf()
    @Sendable func go(_ left: Int) {
      shelf.array.append(left)
      if left > 0 { Joined { go(left - 1) }.join() }
    }
    go(5)
    use(shelf.array)
  },
  MemoryPair(correct: "many-short-threads", "many threads fill parts of one array") {
    nonisolated(unsafe) let numbers = UnsafeMutablePointer<Int>.allocate(capacity: 300)
    for first in stride(from: 0, to: 300, by: 3) {
      onThreads(3) { numbers[first + $0] = $0 }
    }
    use((0..<300).reduce(0) { $0 + numbers[$1] })
    numbers.deallocate()
  },
  MemoryPair(correct: "stack-of-a-thread", "a thread lets another fill a variable, and joins it") {
    var number = 0
    withUnsafeMutablePointer(to: &number) { pointer in
      nonisolated(unsafe) let pointer = pointer
      Joined { pointer.pointee = 1 }.join()
    }
    use(number)
  },
]
