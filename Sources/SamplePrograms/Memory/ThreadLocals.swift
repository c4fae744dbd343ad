import Foundation
import Programs

/// A number for each thread that uses it.
private final class OwnNumber: Sendable {
  private let key: pthread_key_t

  init() {
    var key = pthread_key_t()
    pthread_key_create(&key, { pointer in pointer?.deallocate() })
    self.key = key
  }

  /// Adds to the calling thread's number.
  func add(_ number: Int) {
    if let pointer = pthread_getspecific(key) {
      pointer.assumingMemoryBound(to: Int.self).pointee += number
      return
    }
    let made = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    made.initialize(to: number)
    pthread_setspecific(key, made)
  }
}

/// Threads: thread-local values, and memory that a thread leaves to others.
let threadPrograms: [Program] = [
  Program(
    "thread-local-shared", "two threads keep one object in their thread dictionaries", .races,
    twin: "each keeps an object of its own",
    wrong: {
      let counter = Counter()
      onTwoThreads {
        Thread.current.threadDictionary["counter"] = counter
        (Thread.current.threadDictionary["counter"] as? Counter)?.add(1)
      }
    },
    right: {
      onTwoThreads {
        Thread.current.threadDictionary["counter"] = Counter()
        (Thread.current.threadDictionary["counter"] as? Counter)?.add(1)
      }
    }),
  Program(
    "fire-and-forget", "a detached thread writes what its creator reads", .races,
    twin: "it signals when it has written",
    wrong: {
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
    right: {
      let counter = Counter()
      let ended = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        counter.value = 1
        ended.signal()
      }
      ended.wait()
      use(counter.value)
    }),
  Program("thread-specific-in-tasks", "tasks change a number of the pool's thread", .passes) {
    let own = OwnNumber()
    inTask {
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<40 {
          group.addTask {
            own.add(number)
            await Task.yield()
            own.add(1)
          }
        }
      }
    }
  },
  Program("thread-specific-in-blocks", "blocks change a number of the pool's thread", .passes) {
    let own = OwnNumber()
    let group = DispatchGroup()
    for number in 0..<40 { DispatchQueue.global().async(group: group) { own.add(number) } }
    group.wait()
  },
  Program("thread-specific-in-iterations", "iterations change a number of the thread", .passes) {
    let own = OwnNumber()
    own.add(1)
    DispatchQueue.concurrentPerform(iterations: 40) { own.add($0) }
    own.add(1)
  },
  Program("thread-dictionary-in-blocks", "blocks change an object of their thread", .passes) {
    let group = DispatchGroup()
    for number in 0..<40 {
      DispatchQueue.global().async(group: group) {
        let values = Thread.current.threadDictionary
        guard let counter = values["own"] as? Counter else {
          values["own"] = Counter()
          return
        }
        counter.add(number)
      }
    }
    group.wait()
  },
  Program("threads-in-sequence", "each thread starts the next, and they share an array", .passes) {
    let shelf = Shelf()
    @Sendable func go(_ left: Int) {
      shelf.array.append(left)
      if left > 0 { Joined { go(left - 1) }.join() }
    }
    go(5)
    use(shelf.array)
  },
  Program("many-short-threads", "many threads fill parts of one array", .passes) {
    nonisolated(unsafe) let numbers = UnsafeMutablePointer<Int>.allocate(capacity: 300)
    for first in stride(from: 0, to: 300, by: 3) {
      onThreads(3) { numbers[first + $0] = $0 }
    }
    use((0..<300).reduce(0) { $0 + numbers[$1] })
    numbers.deallocate()
  },
  Program("stack-of-a-thread", "a thread lets another fill a variable, and joins it", .passes) {
    var number = 0
    withUnsafeMutablePointer(to: &number) { pointer in
      nonisolated(unsafe) let pointer = pointer
      Joined { pointer.pointee = 1 }.join()
    }
    use(number)
  },
]
