import Dispatch
import Synchronization

/// The value is outside the mutex, so that a body can leave it unprotected.
private final class Guarded: Sendable {
  let mutex = Mutex(())
  let count = Shared(0)
}

/// A global: code finds its address at a fixed distance.
private let globalMutex = Mutex(0)

let swiftMutexBodies = [
  Body("mutex-lost-update") {
    let count = Shared(0)
    let guarded = Guarded()
    let add: @Sendable () -> Void = {
      let old = guarded.mutex.withLock { _ in guarded.count.value }
      guarded.mutex.withLock { _ in guarded.count.value = old + 1 }
    }
    runThreads(add, add)
    count.value = guarded.count.value
    return count.value == 2
  },
  Body("mutex-kept-update") {
    let guarded = Guarded()
    let add: @Sendable () -> Void = { guarded.mutex.withLock { _ in guarded.count.value += 1 } }
    runThreads(add, add)
    return guarded.count.value == 2
  },
  Body("mutex-3x3") {
    let guarded = Guarded()
    let add: @Sendable () -> Void = {
      for _ in 0..<3 { guarded.mutex.withLock { _ in guarded.count.value += 1 } }
    }
    runThreads(add, add, add)
    return guarded.count.value == 9
  },
  Body("mutex-crossed") {
    let first = Guarded()
    let second = Guarded()
    runThreads(
      { first.mutex.withLock { _ in second.mutex.withLock { _ in } } },
      { second.mutex.withLock { _ in first.mutex.withLock { _ in } } })
    return true
  },
  Body("mutex-in-order") {
    let first = Guarded()
    let second = Guarded()
    let run: @Sendable () -> Void = { first.mutex.withLock { _ in second.mutex.withLock { _ in } } }
    runThreads(run, run)
    return true
  },
  Body("mutex-tried") {
    let guarded = Guarded()
    let entered = Shared(0)
    let enter: @Sendable () -> Void = {
      let result: Void? = guarded.mutex.withLockIfAvailable { _ in entered.value += 1 }
      if result == nil { Outcomes.note("busy") }
    }
    runThreads(enter, enter)
    Outcomes.note("\(entered.value)")
    return entered.value > 0
  },
  Body("mutex-global") {
    globalMutex.withLock { $0 = 0 }
    let add: @Sendable () -> Void = {
      let old = globalMutex.withLock { $0 }
      globalMutex.withLock { $0 = old + 1 }
    }
    runThreads(add, add)
    return globalMutex.withLock { $0 } == 2
  },
  Body("mutex-unlocked-unseen") {
    // Allocated and leaked: the mutex is not part of an object, so the body knows its address.
    nonisolated(unsafe) let mutex = UnsafeMutablePointer<Mutex<Int>>.allocate(capacity: 1)
    mutex.initialize(to: Mutex(0))
    let hasLocked = DispatchSemaphore(value: 0)
    runThreads(
      {
        mutex.pointee.withLock { _ in
          UnsafeMutableRawPointer(mutex).storeBytes(of: 0, as: UInt32.self)
          hasLocked.wait()
        }
      },
      {
        mutex.pointee.withLock { _ in }
        hasLocked.signal()
      })
    return true
  },
  Body("mutex-locked-again") {
    let guarded = Guarded()
    guarded.mutex.withLock { _ in guarded.mutex.withLock { _ in } }
    return true
  },
]
