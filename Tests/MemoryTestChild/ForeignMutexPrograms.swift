import ForeignMutex
import Foundation
import Synchronization

extension SwiftPrograms {
  /// A `Mutex` used by a module that is not instrumented, and by one that is.
  static let foreignMutexes: [String: @Sendable () -> Void] = [
    "foreign_mutex.correct": {
      let mutex = ForeignBox()
      addInThreads { box, index in
        if index == 0 { mutex.add() }
        mutex.value.withLock { _ in box.number += 1 }
        mutex.value.withLockIfAvailable { _ in box.number += 1 }
      }
    },
    // Each thread locks once.
    "foreign_mutex_once.correct": {
      for _ in 0..<20 {
        let mutex = ForeignBox()
        let box = Box()
        inThreads { _ in mutex.value.withLock { _ in box.number += 1 } }
      }
    },
    "foreign_mutex_beside.racy": {
      let mutex = ForeignBox()
      let box = Box()
      inThreads { _ in
        mutex.add()
        mutex.value.withLock { $0 += 1 }
        box.number += 1
      }
    },
    "foreign_mutex_contended.correct": {
      let mutex = ForeignBox()
      addInThreads { box, index in
        mutex.locked {
          box.number += 1
          usleep(10)
        }
        mutex.value.withLock { _ in box.number += 1 }
      }
    },
    // The instrumented code itself does not lock.
    "foreign_lock.correct": {
      let mutex = ForeignBox()
      addInThreads { box, _ in
        mutex.locked { box.number += 1 }
        mutex.tried { box.number += 1 }
      }
    },
    "foreign_lock_of_each.racy": {
      let mutexes = [ForeignBox(), ForeignBox()]
      addInThreads { box, index in mutexes[index].locked { box.number += 1 } }
    },
    "foreign_lock_on_one_side.racy": {
      let mutex = ForeignBox()
      let box = Box()
      inThreads { index in
        if index == 0 { mutex.locked { box.number += 1 } } else { box.number += 1 }
      }
    },
    "foreign_hand_over.correct": {
      let mutex = ForeignBox()
      let box = Box()
      inThreads { index in
        if index == 0 {
          box.number = 1
          mutex.add()
        } else {
          while mutex.read() == 0 { sched_yield() }
          box.number += 1
        }
      }
    },
    "foreign_hand_over_early.racy": {
      let mutex = ForeignBox()
      let box = Box()
      inThreads { index in
        if index == 0 {
          mutex.add()
          box.number = 1
        } else {
          while mutex.read() == 0 { sched_yield() }
          box.number += 1
        }
      }
    },
  ]
}
