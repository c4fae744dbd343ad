import Dispatch

/// The lock of a cache: the semaphore of 2.0 or the mutex of 3.0.4, taken and given back by hand,
/// since both versions let go of it in the middle of a method.
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

  /// Gives the memory back; nobody may be in, or come.
  func destroy() {
    if case .mutex(let mutex) = self { mutex.destroy() }
  }
}
