import Foundation
import Synchronization

private func makeCondition() -> Cell<pthread_cond_t> {
  let condition = Cell(pthread_cond_t())
  pthread_cond_init(condition.pointer, nil)
  return condition
}

private func makeSemaphore(_ value: UInt32) -> Cell<sem_t> {
  let semaphore = Cell(sem_t())
  sem_init(semaphore.pointer, 0, value)
  return semaphore
}

let waitBodies = [
  Body("lost-signal") {
    let mutex = makeMutex()
    let condition = makeCondition()
    let thread = startThread {
      pthread_mutex_lock(mutex.pointer)
      pthread_mutex_unlock(mutex.pointer)
      pthread_cond_signal(condition.pointer)
    }
    pthread_mutex_lock(mutex.pointer)
    pthread_cond_wait(condition.pointer, mutex.pointer)
    pthread_mutex_unlock(mutex.pointer)
    pthread_join(thread, nil)
    return true
  },
  Body("awaited-signal") {
    let mutex = makeMutex()
    let condition = makeCondition()
    let isReady = Shared(false)
    let thread = startThread {
      pthread_mutex_lock(mutex.pointer)
      isReady.value = true
      pthread_mutex_unlock(mutex.pointer)
      pthread_cond_signal(condition.pointer)
    }
    pthread_mutex_lock(mutex.pointer)
    while !isReady.value { pthread_cond_wait(condition.pointer, mutex.pointer) }
    pthread_mutex_unlock(mutex.pointer)
    pthread_join(thread, nil)
    return true
  },
  Body("flag-outside-lock") {
    // The flag has its own lock, so the signal may come between the check and the wait.
    let mutex = makeMutex()
    let flagLock = NSLock()
    let condition = makeCondition()
    let isReady = Shared(false)
    let thread = startThread {
      flagLock.withLock { isReady.value = true }
      pthread_cond_signal(condition.pointer)
    }
    pthread_mutex_lock(mutex.pointer)
    while !flagLock.withLock({ isReady.value }) {
      pthread_cond_wait(condition.pointer, mutex.pointer)
    }
    pthread_mutex_unlock(mutex.pointer)
    pthread_join(thread, nil)
    return true
  },
  Body("two-waits-without-loop") {
    let mutex = makeMutex()
    let condition = makeCondition()
    let isReady = Shared(false)
    let thread = startThread {
      pthread_mutex_lock(mutex.pointer)
      isReady.value = true
      pthread_cond_signal(condition.pointer)
      pthread_mutex_unlock(mutex.pointer)
    }
    pthread_mutex_lock(mutex.pointer)
    if !isReady.value { pthread_cond_wait(condition.pointer, mutex.pointer) }
    if !isReady.value { pthread_cond_wait(condition.pointer, mutex.pointer) }
    let wasReady = isReady.value
    pthread_mutex_unlock(mutex.pointer)
    pthread_join(thread, nil)
    return wasReady
  },
  Body("wait-without-loop") {
    let condition = NSCondition()
    let isReady = Shared(false)
    let thread = startThread {
      condition.lock()
      isReady.value = true
      condition.signal()
      condition.unlock()
    }
    condition.lock()
    if !isReady.value { condition.wait() }
    let wasReady = isReady.value
    condition.unlock()
    pthread_join(thread, nil)
    return wasReady
  },
  Body("wait-in-loop") {
    let condition = NSCondition()
    let isReady = Shared(false)
    let thread = startThread {
      condition.lock()
      isReady.value = true
      condition.signal()
      condition.unlock()
    }
    condition.lock()
    while !isReady.value { condition.wait() }
    condition.unlock()
    pthread_join(thread, nil)
    return true
  },
  Body("never-signalled") {
    // Only a wake-up without a signal could end the wait, and it need never come.
    let mutex = makeMutex()
    let condition = makeCondition()
    let thread = startThread {
      pthread_mutex_lock(mutex.pointer)
      pthread_mutex_unlock(mutex.pointer)
    }
    pthread_mutex_lock(mutex.pointer)
    pthread_cond_wait(condition.pointer, mutex.pointer)
    pthread_mutex_unlock(mutex.pointer)
    pthread_join(thread, nil)
    return true
  },
  Body("two-wait-without-loop") {
    // Each waiter may wake without a signal, before the first signal or between the two.
    let condition = NSCondition()
    let (tickets, got) = (Shared(0), Shared(""))
    let wait: @Sendable (String) -> Void = { name in
      condition.lock()
      if tickets.value == 0 { condition.wait() }
      if tickets.value > 0 {
        tickets.value -= 1
        got.value += name
      }
      condition.unlock()
    }
    let waiters = ["A", "B"].map { name in startThread { wait(name) } }
    for _ in 0..<2 {
      condition.lock()
      tickets.value += 1
      condition.signal()
      condition.unlock()
    }
    for waiter in waiters { pthread_join(waiter, nil) }
    Outcomes.note(got.value.isEmpty ? "none" : got.value)
    return true
  },
  Body("signal-wakes-any") {
    let condition = NSCondition()
    let state = Shared((waiting: 0, tickets: 0))
    let wait: @Sendable (String) -> Void = { name in
      condition.lock()
      state.value.waiting += 1
      while state.value.tickets == 0 { condition.wait() }
      state.value.tickets -= 1
      if state.value.waiting == 2 { Outcomes.note("\(name) was first") }
      state.value.waiting = 0
      condition.unlock()
      condition.signal()
    }
    let first = startThread { wait("A") }
    let second = startThread { wait("B") }
    condition.lock()
    state.value.tickets = 2
    condition.signal()
    condition.unlock()
    pthread_join(first, nil)
    pthread_join(second, nil)
    return true
  },
  Body("timed-wait") {
    let condition = NSCondition()
    let isReady = Shared(false)
    let thread = startThread {
      condition.lock()
      isReady.value = true
      condition.signal()
      condition.unlock()
    }
    let limit = Date().addingTimeInterval(7200)
    condition.lock()
    var inTime = true
    while !isReady.value && inTime { inTime = condition.wait(until: limit) }
    Outcomes.note(inTime ? "signalled" : "timed out")
    condition.unlock()
    pthread_join(thread, nil)
    return true
  },
  Body("semaphore-lost-update") {
    let semaphore = makeSemaphore(1)
    let count = Shared(0)
    let add: @Sendable () -> Void = {
      sem_wait(semaphore.pointer)
      let old = count.value
      sem_post(semaphore.pointer)
      sem_wait(semaphore.pointer)
      count.value = old + 1
      sem_post(semaphore.pointer)
    }
    runThreads(add, add)
    sem_destroy(semaphore.pointer)
    return count.value == 2
  },
  Body("semaphore-kept-update") {
    let semaphore = makeSemaphore(1)
    let count = Shared(0)
    let add: @Sendable () -> Void = {
      sem_wait(semaphore.pointer)
      count.value += 1
      sem_post(semaphore.pointer)
    }
    runThreads(add, add)
    sem_destroy(semaphore.pointer)
    return count.value == 2
  },
  Body("semaphore-limit") {
    let semaphore = makeSemaphore(0)
    let thread = startThread { sem_post(semaphore.pointer) }
    var end = time(after: 60)
    let result = sem_timedwait(semaphore.pointer, &end)
    Outcomes.note(result == 0 ? "signalled" : errno == ETIMEDOUT ? "timed out" : "other")
    pthread_join(thread, nil)
    sem_destroy(semaphore.pointer)
    return true
  },
  Body("barrier") {
    let barrier = Cell(pthread_barrier_t())
    pthread_barrier_init(barrier.pointer, nil, 3)
    let lock = NSLock()
    let state = Shared((arrived: 0, serial: 0, early: 0))
    let pass: @Sendable () -> Void = {
      for round in 1...2 {
        lock.withLock { state.value.arrived += 1 }
        let result = pthread_barrier_wait(barrier.pointer)
        lock.withLock {
          if result == PTHREAD_BARRIER_SERIAL_THREAD { state.value.serial += 1 }
          if state.value.arrived < 3 * round { state.value.early += 1 }
        }
      }
    }
    runThreads(pass, pass, pass)
    pthread_barrier_destroy(barrier.pointer)
    return state.value == (6, 2, 0)
  },
  Body("mutex-in-wait") {
    // A `Mutex` is held across a point, so the other thread reaches its slow path.
    let guarded = Guarded()
    let add: @Sendable () -> Void = {
      guarded.count.withLock { count in
        sched_yield()
        count += 1
      }
    }
    runThreads(add, add)
    return guarded.count.withLock { $0 } == 2
  },
]

/// A class, because a closure cannot capture a `Mutex` in a local variable.
private final class Guarded: Sendable {
  let count = Mutex(0)
}
