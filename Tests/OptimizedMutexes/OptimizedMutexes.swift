import Dispatch
import Synchronization

/// A `Mutex` in a local variable, in optimised code, which refers to the type of the `Mutex`'s
/// atomic.
package enum OptimizedMutexes {
  package static func sum() -> Int {
    let value = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 2) { index in value.withLock { $0 += index } }
    let isDone = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      value.withLock { $0 += 1 }
      isDone.signal()
    }
    isDone.wait()
    return value.withLock { $0 }
  }
}
