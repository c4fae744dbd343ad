import Dispatch
import Foundation
import Interlock
import Synchronization

/// Two threads write. The bodies of a pair differ only in what orders the writes.
private func twoWriters(_ body: @escaping @Sendable (Shared<Int>) -> Void) -> Bool {
  let counter = Shared(0)
  runThreads({ body(counter) }, { body(counter) })
  return true
}

private func writeMarked(_ counter: Shared<Int>) {
  BEGIN_LOCK(.noReadWrite, "counter")
  counter.value += 1
  END_LOCK(.noReadWrite, "counter")
}

private func readMarked(_ counter: Shared<Int>) {
  BEGIN_LOCK(.noWrite, "counter")
  Outcomes.note("\(counter.value)")
  END_LOCK(.noWrite, "counter")
}

private actor MarkedCounter {
  private let counter = Shared(0)

  func write() { writeMarked(counter) }
}

private final class Model: @unchecked Sendable {
  // Unchecked: the sections of the property are under test.
  @Tracked var value = 0
}

private final class LockedBySection: Sendable {
  private let mutex = Mutex(0)
  private let section = Section("counter")

  var value: Int { section.read(locking: mutex) { $0 } }

  func add() { section.write(locking: mutex) { $0 += 1 } }

  func addInSteps() {
    let old = value
    section.write(locking: mutex) { $0 = old + 1 }
  }
}

/// Bodies with sections: a conflict fails the execution, and the explorer sees what orders them.
let sectionBodies: [Body] = [
  Body("sections-unlocked") { twoWriters(writeMarked) },
  Body("sections-locked") {
    let mutex = makeMutex()
    return twoWriters { counter in
      pthread_mutex_lock(mutex.pointer)
      writeMarked(counter)
      pthread_mutex_unlock(mutex.pointer)
    }
  },
  Body("sections-readers") { twoWriters(readMarked) },
  Body("sections-reader-and-writer") {
    let counter = Shared(0)
    runThreads({ readMarked(counter) }, { writeMarked(counter) })
    return true
  },
  Body("sections-parts") {
    runThreads(
      {
        BEGIN_LOCK(.noReadWrite, "rows", part: 1)
        END_LOCK(.noReadWrite, "rows", part: 1)
      },
      {
        BEGIN_LOCK(.noReadWrite, "rows", part: 2)
        END_LOCK(.noReadWrite, "rows", part: 2)
      })
    return true
  },
  Body("sections-same-part") {
    runThreads(
      {
        BEGIN_LOCK(.noReadWrite, "rows", part: 1)
        END_LOCK(.noReadWrite, "rows", part: 1)
      },
      {
        BEGIN_LOCK(.noReadWrite, "rows", part: 1)
        END_LOCK(.noReadWrite, "rows", part: 1)
      })
    return true
  },
  Body("sections-tracked") {
    let model = Model()
    runThreads({ model.value += 1 }, { model.value += 1 })
    return true
  },
  Body("sections-tracked-locked") {
    let model = Model()
    let lock = NSLock()
    runThreads({ lock.withLock { model.value += 1 } }, { lock.withLock { model.value += 1 } })
    return true
  },
  Body("sections-joined") {
    let counter = Shared(0)
    runThreads({ writeMarked(counter) })
    runThreads({ writeMarked(counter) })
    writeMarked(counter)
    return counter.value == 3
  },
  Body("sections-semaphore") {
    let counter = Shared(0)
    let isWritten = DispatchSemaphore(value: 0)
    runThreads(
      {
        writeMarked(counter)
        isWritten.signal()
      },
      {
        isWritten.wait()
        writeMarked(counter)
      })
    return counter.value == 2
  },
  Body("sections-serial-queue") {
    let counter = Shared(0)
    let queue = DispatchQueue(label: "counter")
    for _ in 0..<3 { queue.async { writeMarked(counter) } }
    queue.sync { writeMarked(counter) }
    return counter.value == 4
  },
  Body("sections-barrier-queue") {
    let counter = Shared(0)
    let queue = DispatchQueue(label: "counter", attributes: .concurrent)
    for _ in 0..<2 { queue.async { readMarked(counter) } }
    queue.async(flags: .barrier) { writeMarked(counter) }
    queue.sync(flags: .barrier) {}
    return counter.value == 1
  },
  Body("sections-concurrent-queue") {
    let counter = Shared(0)
    let queue = DispatchQueue(label: "counter", attributes: .concurrent)
    for _ in 0..<2 { queue.async { writeMarked(counter) } }
    queue.sync(flags: .barrier) {}
    return true
  },
  Body("sections-group") {
    let counter = Shared(0)
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) { writeMarked(counter) }
    group.wait()
    writeMarked(counter)
    return counter.value == 2
  },
  Body("sections-group-late") {
    let counter = Shared(0)
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) { writeMarked(counter) }
    writeMarked(counter)
    group.wait()
    return counter.value == 2
  },
  Body("sections-actor") {
    let counter = MarkedCounter()
    waitForTasks(2) { await counter.write() }
    return true
  },
  Body("sections-tasks") {
    let counter = Shared(0)
    waitForTasks(2) { writeMarked(counter) }
    return true
  },
  Body("sections-left-open") {
    let counter = Shared(0)
    let (first, second) = (makeMutex(), makeMutex())
    runThreads(
      {
        BEGIN_LOCK(.noReadWrite, "left")
        pthread_mutex_lock(first.pointer)
        pthread_mutex_lock(second.pointer)
        counter.value += 1
        pthread_mutex_unlock(second.pointer)
        pthread_mutex_unlock(first.pointer)
        END_LOCK(.noReadWrite, "left")
      },
      {
        pthread_mutex_lock(second.pointer)
        pthread_mutex_lock(first.pointer)
        counter.value += 1
        pthread_mutex_unlock(first.pointer)
        pthread_mutex_unlock(second.pointer)
      })
    return counter.value == 2
  },
  Body("sections-mutex") {
    let mutex = LockedBySection()
    runThreads({ mutex.add() }, { mutex.add() })
    return mutex.value == 2
  },
  Body("sections-mutex-in-steps") {
    let mutex = LockedBySection()
    runThreads({ mutex.addInSteps() }, { mutex.addInSteps() })
    return mutex.value == 2
  },
  Body("sync-points") {
    let counter = Shared(0)
    let add: @Sendable () -> Void = {
      let value = counter.value
      SYNC_POINT("counter.add.afterRead")
      counter.value = value + 1
    }
    runThreads(add, add)
    return counter.value == 2
  },
  Body("sync-points-locked") {
    let counter = Shared(0)
    let mutex = makeMutex()
    let add: @Sendable () -> Void = {
      pthread_mutex_lock(mutex.pointer)
      let value = counter.value
      SYNC_POINT("counter.add.afterRead")
      counter.value = value + 1
      pthread_mutex_unlock(mutex.pointer)
    }
    runThreads(add, add)
    return counter.value == 2
  },
]

/// Runs tasks, and waits for all of them.
private func waitForTasks(_ count: Int, _ body: @escaping @Sendable () async -> Void) {
  let group = DispatchGroup()
  for _ in 0..<count {
    group.enter()
    Task {
      await body()
      group.leave()
    }
  }
  group.wait()
}
