import Foundation
import Interlock
import Programs

/// Correct without a lock around the shared state: it is passed from one owner to the next.
let handedOverPrograms: [Program] = [
  Program(
    "handed-from-queue-to-queue", "a number goes through four queues, a block at a time",
    .predicts()
  ) {
    let shared = Shared()
    let ended = DispatchSemaphore(value: 0)
    let queues = (0..<4).map { DispatchQueue(label: "stage \($0)") }
    queues[0].async {
      shared.set(1)
      queues[1].async {
        shared.set(shared.get() + 1)
        queues[2].asyncAfter(deadline: .now() + 0.01) {
          shared.set(shared.get() + 1)
          queues[3].async(execute: DispatchWorkItem { shared.set(shared.get() + 1) })
          queues[3].async { ended.signal() }
        }
      }
    }
    ended.wait()
    _ = shared.get()
  },
  Program(
    "handed-over-a-condition", "a number is set under an NSCondition, and used without it later",
    .predicts()
  ) {
    let shared = Shared()
    let condition = NSCondition()
    let isSet = Flag()
    Thread.detachNewThread {
      shared.set(1)
      condition.withLock {
        isSet.value = true
        condition.signal()
      }
    }
    condition.lock()
    while !isSet.value { condition.wait() }
    condition.unlock()
    shared.set(shared.get() + 1)
  },
  Program(
    "handed-by-a-work-item", "a work item writes, and the thread that waited for it reads",
    .predicts()
  ) {
    let shared = Shared()
    let item = DispatchWorkItem { shared.set(1) }
    DispatchQueue.global().async(execute: item)
    item.wait()
    _ = shared.get()
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group, execute: DispatchWorkItem { shared.set(2) })
    group.wait()
    _ = shared.get()
  },
  Program(
    "handed-by-operations", "operations that depend on each other write, in turn", .predicts()
  ) {
    let shared = Shared()
    let queue = OperationQueue()
    var last: Operation?
    for number in 0..<10 {
      let operation = BlockOperation { shared.set(number) }
      if let last { operation.addDependency(last) }
      queue.addOperation(operation)
      last = operation
    }
    queue.waitUntilAllOperationsAreFinished()
    _ = shared.get()
  },
  Program(
    "handed-to-an-apply", "ten calls of concurrentPerform read what was written before", .predicts()
  ) {
    let shared = Shared()
    let last = Shared()
    shared.set(1)
    DispatchQueue.concurrentPerform(iterations: 10) { index in
      let number = shared.get()
      if index == 9 { last.set(number) }
    }
    shared.set(2 + last.get())
  },
  Program(
    "handed-to-the-main-queue", "a thread writes, and the main queue reads in a sync", .predicts()
  ) {
    let shared = Shared()
    shared.set(1)
    DispatchQueue.main.sync { shared.set(shared.get() + 1) }
    shared.set(shared.get() + 1)
    let ended = DispatchSemaphore(value: 0)
    DispatchQueue.main.async {
      shared.set(shared.get() + 1)
      ended.signal()
    }
    ended.wait()
    _ = shared.get()
  },
  Program("handed-to-tasks", "tasks write in turn, and a thread reads the result", .predicts()) {
    let shared = Shared()
    shared.set(1)
    let ended = DispatchSemaphore(value: 0)
    Task {
      shared.set(2)
      await Task { shared.set(3) }.value
      shared.set(4)
      ended.signal()
    }
    ended.wait()
    shared.set(shared.get() + 1)
  },
  Program(
    "handed-over-a-pipe", "a byte goes through a pipe, and another through a socket", .predicts()
  ) {
    let shared = Shared()
    var pipe: [Int32] = [0, 0]
    var sockets: [Int32] = [0, 0]
    guard Foundation.pipe(&pipe) == 0,
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0
    else { preconditionFailure("no pipe: \(errno)") }
    let ends = (pipe[0], pipe[1], sockets[0], sockets[1])
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      var byte: UInt8 = 1
      shared.set(1)
      write(ends.1, &byte, 1)
      read(ends.2, &byte, 1)
      shared.set(shared.get() + 1)
      ended.signal()
    }
    var byte: UInt8 = 0
    read(ends.0, &byte, 1)
    shared.set(shared.get() + 1)
    send(ends.3, &byte, 1, 0)
    ended.wait()
    for end in pipe + sockets { close(end) }
  },
  Program(
    "written-after-the-byte",
    "a byte goes through a pipe before the value that it announces is written", .predicts(.race)
  ) {
    let shared = Shared()
    var pipe: [Int32] = [0, 0]
    guard Foundation.pipe(&pipe) == 0 else { preconditionFailure("no pipe: \(errno)") }
    let ends = (pipe[0], pipe[1])
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      var byte: UInt8 = 1
      write(ends.1, &byte, 1)
      Thread.sleep(forTimeInterval: 0.1)
      shared.set(1)
      ended.signal()
    }
    var byte: UInt8 = 0
    read(ends.0, &byte, 1)
    Thread.sleep(forTimeInterval: 0.2)
    _ = shared.get()
    ended.wait()
    for end in pipe { close(end) }
  },
  Program(
    "met-at-a-barrier", "threads write, meet at a POSIX barrier, and read each other's values",
    .predicts()
  ) {
    let all = (0..<4).map { _ in Shared() }
    nonisolated(unsafe) let barrier = UnsafeMutablePointer<pthread_barrier_t>.allocate(capacity: 1)
    pthread_barrier_init(barrier, nil, 4)
    let ended = DispatchGroup()
    for index in all.indices {
      ended.enter()
      Thread.detachNewThread {
        for round in 0..<20 {
          all[index].set(round)
          pthread_barrier_wait(barrier)
          for shared in all { _ = shared.get() }
          pthread_barrier_wait(barrier)
        }
        ended.leave()
      }
    }
    ended.wait()
    pthread_barrier_destroy(barrier)
    barrier.deallocate()
  },
  Program("under-a-posix-spin-lock", "threads add to a number under a POSIX spin lock", .predicts())
  {
    let shared = Shared()
    nonisolated(unsafe) let lock = UnsafeMutablePointer<pthread_spinlock_t>.allocate(capacity: 1)
    pthread_spin_init(lock, Int32(PTHREAD_PROCESS_PRIVATE))
    let ended = DispatchGroup()
    for _ in 0..<4 {
      ended.enter()
      Thread.detachNewThread {
        for _ in 0..<100 {
          pthread_spin_lock(lock)
          shared.set(shared.get() + 1)
          pthread_spin_unlock(lock)
        }
        ended.leave()
      }
    }
    ended.wait()
    _ = shared.get()
    pthread_spin_destroy(lock)
    lock.deallocate()
  },
  Program(
    "made-by-a-static-let", "one thread initializes a static let, and many threads use it",
    .predicts()
  ) {
    let ended = DispatchGroup()
    for _ in 0..<8 {
      ended.enter()
      Thread.detachNewThread {
        _ = Made.shared.number.get()
        ended.leave()
      }
    }
    ended.wait()
  },
  Program(
    "reused-memory", "objects come and go at one address, each used by one thread", .predicts()
  ) {
    let gate = DispatchSemaphore(value: 1)
    let ended = DispatchGroup()
    for _ in 0..<8 {
      ended.enter()
      Thread.detachNewThread {
        for number in 0..<100 { Temporary(number).use() }
        gate.wait()
        gate.signal()
        ended.leave()
      }
    }
    ended.wait()
  },
]

private final class Flag: @unchecked Sendable {
  // Unchecked: accessed under the condition's lock only.
  var value = false
}

private enum Made {
  static let shared = Holder()

  final class Holder: Sendable {
    let number = Shared()

    init() { number.set(1) }
  }
}

/// An object whose own address identifies its marks.
private final class Temporary {
  private var number: Int

  init(_ number: Int) { self.number = number }

  func use() {
    BEGIN_LOCK(.noReadWrite, "temporary", of: self)
    number += 1
    END_LOCK(.noReadWrite, "temporary", of: self)
  }
}
