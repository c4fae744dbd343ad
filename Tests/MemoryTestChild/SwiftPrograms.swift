import Dispatch
import Foundation
import Synchronization

/// Programs in Swift, each racy one with its correct twin.
enum SwiftPrograms {
  static let all = usual.merging(foreignMutexes) { first, _ in first }
    .merging(propertyLocks) { first, _ in first }
    .merging(downloads) { first, _ in first }
    .merging(reused) { first, _ in first }
    .merging(atOneAddress) { first, _ in first }

  private static let usual: [String: @Sendable () -> Void] = [
    "field.racy": { addInThreads { box, _ in box.number += 1 } },
    "field_two_locks.racy": {
      let locks = [NSLock(), NSLock()]
      addInThreads { box, index in locks[index].withLock { box.number += 1 } }
    },
    "nslock.correct": {
      let lock = NSLock()
      addInThreads { box, _ in lock.withLock { box.number += 1 } }
    },
    "queue.correct": {
      let queue = DispatchQueue(label: "numbers")
      addInThreads { box, _ in queue.sync { box.number += 1 } }
    },
    "queue_concurrent.racy": {
      let queue = DispatchQueue(label: "numbers", attributes: .concurrent)
      addInThreads { box, _ in queue.sync { box.number += 1 } }
    },
    "swift_mutex.correct": {
      let counter = Counter()
      addInThreads { _, _ in counter.value.withLock { $0 += 1 } }
    },
    "swift_mutex_contended.correct": {
      let counter = Counter()
      addInThreads { _, _ in
        counter.value.withLock {
          $0 += 1
          usleep(10)
        }
      }
    },
    "swift_mutex_other.racy": {
      let counters = [Counter(), Counter()]
      addInThreads { box, index in counters[index].value.withLock { _ in box.number += 1 } }
    },
    "array_element.racy": { addInThreads { box, _ in box.list[3] += 1 } },
    "array_copy.correct": {
      let list = Array(0..<200)
      inThreads { index in
        var own = list
        for position in own.indices { own[position] += index }
      }
    },
    // The first thread copies the list, and the last finds itself the only owner.
    "array_handed_over.correct": {
      for _ in 0..<200 {
        let boxes = (0..<2).map { _ in Box() }
        let list = Array(0..<50)
        for box in boxes { box.list = list }
        changeAll(boxes)
      }
    },
    "nested_array_handed_over.correct": {
      for _ in 0..<200 {
        let boxes = (0..<2).map { _ in Box() }
        let lists = [[1, 2, 3], [4, 5, 6]]
        for box in boxes { box.lists = lists }
        changeAll(boxes)
      }
    },
    // One thread after the other, by a relaxed flag, which orders nothing. At the same time, they
    // could crash in a dictionary that one of them replaces.
    "dictionary.racy": {
      let flag = Flag()
      let box = Box()
      inThreads { index in
        if index == 1 { while !flag.isSet.load(ordering: .relaxed) { sched_yield() } }
        for key in 0..<100 { box.table[key] = index }
        if index == 0 { flag.isSet.store(true, ordering: .relaxed) }
      }
    },
    "dictionary_locked.correct": {
      let lock = NSLock()
      addInThreads { box, _ in lock.withLock { box.table[box.number % 7, default: 0] += 1 } }
    },
    "deinit.correct": {
      for _ in 0..<100 {
        let box = Box()
        inThreads { index in if index == 0 { _ = box.list.count } else { _ = box.number } }
      }
    },
    "static_let.correct": { inThreads { _ in for _ in 0..<100 { _ = Box.shared.list[2] } } },
    "static_var.racy": { inThreads { _ in for _ in 0..<100 { Box.count += 1 } } },
    "captured.racy": {
      nonisolated(unsafe) var sum = 0
      inThreads { _ in for _ in 0..<100 { sum += 1 } }
    },
    "group.correct": {
      let box = Box()
      let group = DispatchGroup()
      DispatchQueue.global().async(group: group) { box.number = 1 }
      group.wait()
      box.number += 1
    },
    "atomic.correct": {
      let flag = Flag()
      let box = Box()
      inThreads { index in
        if index == 0 {
          box.number = 1
          flag.isSet.store(true, ordering: .releasing)
        } else {
          while !flag.isSet.load(ordering: .acquiring) { sched_yield() }
          box.number += 1
        }
      }
    },
    "atomic_relaxed.racy": {
      let flag = Flag()
      let box = Box()
      inThreads { index in
        if index == 0 {
          box.number = 1
          flag.isSet.store(true, ordering: .relaxed)
        } else {
          while !flag.isSet.load(ordering: .relaxed) { sched_yield() }
          box.number += 1
        }
      }
    },
  ]

  private static func changeAll(_ boxes: [Box]) {
    inThreads { index in
      boxes[index].list[0] += index
      if !boxes[index].lists.isEmpty { boxes[index].lists[0][0] += index }
    }
  }
}

/// The values that the threads share. Unchecked: racy programs leave them unordered on purpose.
final class Box: @unchecked Sendable {
  var number = 0
  var list = [1, 2, 3, 4]
  var lists: [[Int]] = []
  var table: [Int: Int] = [:]
  static let shared = Box()
  nonisolated(unsafe) static var count = 0

  deinit { number = list.count }
}

private final class Counter: Sendable {
  let value = Mutex(0)
}

final class Flag: Sendable {
  let isSet = Atomic(false)
}

/// Runs two threads, joined through a semaphore that each thread signals once.
func inThreads(_ body: @escaping @Sendable (Int) -> Void) {
  let done = DispatchSemaphore(value: 0)
  for index in 0..<2 {
    Thread {
      body(index)
      done.signal()
    }.start()
  }
  done.wait()
  done.wait()
}

func addInThreads(_ body: @escaping @Sendable (Box, Int) -> Void) {
  let box = Box()
  inThreads { index in for _ in 0..<100 { body(box, index) } }
}
