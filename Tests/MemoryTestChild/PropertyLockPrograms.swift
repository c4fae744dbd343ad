import Foundation

/// Locks of the C library that are properties, passed as `&property`. The first concurrent use of
/// each is a call by two threads at once, or by one after the other without an order.
private final class Locks: @unchecked Sendable {
  // Unchecked: the C library orders the uses.
  var mutex = pthread_mutex_t()
  var condition = pthread_cond_t()
  var spin = pthread_spinlock_t()
  var semaphore = sem_t()
  var lock = pthread_rwlock_t()
  var barrier = pthread_barrier_t()
  var isReady = false

  init(permits: UInt32 = 0) {
    pthread_mutex_init(&mutex, nil)
    pthread_cond_init(&condition, nil)
    pthread_spin_init(&spin, 0)
    sem_init(&semaphore, 0, permits)
    pthread_rwlock_init(&lock, nil)
    pthread_barrier_init(&barrier, nil, 2)
  }
}

/// The same locks as `Locks`, without a call that initialises them.
private final class ZeroedLocks: @unchecked Sendable {
  // Unchecked: the C library orders the uses.
  var mutex = pthread_mutex_t()
  var condition = pthread_cond_t()
  var lock = pthread_rwlock_t()
  var isReady = false
}

/// Makes new locks in each round, so that two threads use locks for the first time in each.
private func inRounds<Lock: Sendable>(
  _ make: @Sendable () -> Lock, _ body: @escaping @Sendable (Lock, Box, Int) -> Void
) {
  for _ in 0..<20 {
    let lock = make()
    let box = Box()
    inThreads { index in body(lock, box, index) }
  }
}

extension SwiftPrograms {
  static let propertyLocks: [String: @Sendable () -> Void] = [
    "property_spin.correct": {
      inRounds({ Locks() }) { locks, box, _ in
        pthread_spin_lock(&locks.spin)
        box.number += 1
        pthread_spin_unlock(&locks.spin)
      }
    },
    "property_spin_beside.racy": {
      inRounds({ Locks() }) { locks, box, _ in
        pthread_spin_lock(&locks.spin)
        pthread_spin_unlock(&locks.spin)
        box.number += 1
      }
    },
    "property_semaphore.correct": {
      inRounds({ Locks(permits: 1) }) { locks, box, _ in
        sem_wait(&locks.semaphore)
        box.number += 1
        sem_post(&locks.semaphore)
      }
    },
    "property_semaphore_hand_over.correct": {
      inRounds({ Locks() }) { locks, box, index in
        if index == 0 {
          box.number = 1
          sem_post(&locks.semaphore)
        } else {
          sem_wait(&locks.semaphore)
          box.number += 1
        }
      }
    },
    "property_semaphore_early.racy": {
      inRounds({ Locks() }) { locks, box, index in
        if index == 0 {
          sem_post(&locks.semaphore)
          box.number = 1
        } else {
          sem_wait(&locks.semaphore)
          box.number += 1
        }
      }
    },
    "property_condition.correct": {
      inRounds({ Locks() }) { locks, _, index in
        if index == 0 {
          pthread_mutex_lock(&locks.mutex)
          locks.isReady = true
          pthread_mutex_unlock(&locks.mutex)
          pthread_cond_signal(&locks.condition)
        } else {
          pthread_mutex_lock(&locks.mutex)
          while !locks.isReady { pthread_cond_wait(&locks.condition, &locks.mutex) }
          pthread_mutex_unlock(&locks.mutex)
        }
      }
    },
    // The condition's first concurrent use: two calls outside the mutex.
    "property_condition_signalled.correct": {
      inRounds({ Locks() }) { locks, _, _ in
        pthread_cond_signal(&locks.condition)
        pthread_cond_broadcast(&locks.condition)
      }
    },
    "property_condition_zeroed.correct": {
      inRounds({ ZeroedLocks() }) { locks, _, index in
        if index == 0 {
          pthread_mutex_lock(&locks.mutex)
          locks.isReady = true
          pthread_mutex_unlock(&locks.mutex)
          pthread_cond_broadcast(&locks.condition)
        } else {
          pthread_mutex_lock(&locks.mutex)
          while !locks.isReady { pthread_cond_wait(&locks.condition, &locks.mutex) }
          pthread_mutex_unlock(&locks.mutex)
        }
        pthread_cond_signal(&locks.condition)
      }
    },
    "property_locks_zeroed.correct": {
      inRounds({ ZeroedLocks() }) { locks, box, _ in
        pthread_mutex_lock(&locks.mutex)
        box.number += 1
        pthread_mutex_unlock(&locks.mutex)
        pthread_rwlock_wrlock(&locks.lock)
        box.list[0] += 1
        pthread_rwlock_unlock(&locks.lock)
        pthread_rwlock_rdlock(&locks.lock)
        _ = box.list[0]
        pthread_rwlock_unlock(&locks.lock)
      }
    },
    "property_lock_read.racy": {
      inRounds({ Locks() }) { locks, box, _ in
        pthread_rwlock_rdlock(&locks.lock)
        box.number += 1
        pthread_rwlock_unlock(&locks.lock)
      }
    },
    "property_barrier.correct": {
      inRounds({ Locks() }) { locks, box, index in
        if index == 0 { box.number = 1 }
        pthread_barrier_wait(&locks.barrier)
        if index == 1 { box.number += 1 }
      }
    },
    "property_tried.correct": {
      inRounds({ Locks(permits: 1) }) { locks, box, _ in
        if pthread_spin_trylock(&locks.spin) == 0 {
          box.number += 1
          pthread_spin_unlock(&locks.spin)
        }
        if sem_trywait(&locks.semaphore) == 0 {
          box.list[1] += 1
          sem_post(&locks.semaphore)
        }
      }
    },
  ]
}
