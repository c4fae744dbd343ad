import Dispatch

/// The lock of a cache: the semaphore of 2.0 or the mutex of 3.0.4. Explicit `lock` and `unlock`,
/// since both versions release it in the middle of a method.
enum PINLock: Sendable {
  case semaphore(DispatchSemaphore)
  case mutex(PINMutex)

  init(_ version: PINVersion) {
    self = version == .two ? .semaphore(DispatchSemaphore(value: 1)) : .mutex(PINMutex())
  }

  @inline(__always)
  func lock() {
    switch self {
    case .semaphore(let semaphore): semaphore.wait()
    case .mutex(let mutex): mutex.lock()
    }
  }

  @inline(__always)
  func unlock() {
    switch self {
    case .semaphore(let semaphore): semaphore.signal()
    case .mutex(let mutex): mutex.unlock()
    }
  }

  /// Frees the memory; no thread may hold the lock or call it later.
  func destroy() {
    if case .mutex(let mutex) = self { mutex.destroy() }
  }
}
