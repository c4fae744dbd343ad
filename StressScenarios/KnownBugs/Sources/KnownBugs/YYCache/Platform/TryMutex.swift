#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A POSIX mutex of the default kind with a try-lock, and explicit `lock` and `unlock`.
///
/// `@unchecked Sendable`: the pointer is never reassigned, and the mutex is made to be shared.
struct TryMutex: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  /// Frees the memory; no thread may hold the mutex or call it later.
  func destroy() {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  @inline(__always)
  func lock() { pthread_mutex_lock(mutex) }

  @inline(__always)
  func unlock() { pthread_mutex_unlock(mutex) }

  /// Acquires the mutex if it is free; returns whether it did.
  @inline(__always)
  func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }
}

/// The system's clocks, as the models use them.
enum SystemTime {
  /// Seconds on a coarse monotonic clock: a tenth of the cost of the precise one. Its resolution of
  /// a few milliseconds suffices, because the ages measured with it are seconds.
  static var uptime: Double {
    #if canImport(Darwin)
    let clock = CLOCK_MONOTONIC_RAW_APPROX
    #else
    let clock = CLOCK_MONOTONIC_COARSE
    #endif
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// Whole seconds since 1970.
  static var seconds: Int { time(nil) }

  /// Suspends the calling thread.
  static func sleep(milliseconds: Int) {
    usleep(UInt32(milliseconds) * 1000)
  }
}
