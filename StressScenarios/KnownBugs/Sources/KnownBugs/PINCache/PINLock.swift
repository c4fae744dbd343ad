import Dispatch

/// The lock of a cache: the semaphore of 2.0 or the mutex of 3.0.4. Explicit `lock` and `unlock`,
/// since both versions release it in the middle of a method.
enum PINLock: Sendable {
  case semaphore(DispatchSemaphore)
  case mutex(PosixMutex)

  init(_ version: PINVersion) {
    self = version == .two ? .semaphore(DispatchSemaphore(value: 1)) : .mutex(PosixMutex())
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

/// The lock that lets the changes of a cache take turns, each with the blocks that announce it.
///
/// The lock is recursive, so that a block may change the cache. A pair shares one with both its
/// layers: with one for each, a block of one layer that changes the other could deadlock.
final class PINTurn: Sendable {
  private let mutex = PosixMutex(recursive: true)

  deinit { mutex.destroy() }

  func lock() { mutex.lock() }

  func unlock() { mutex.unlock() }
}
