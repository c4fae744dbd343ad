#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// A POSIX mutex of the default kind that can be tried too, with begin and end apart.
///
/// `@unchecked Sendable`: the pointer is never reassigned, and the mutex is made to be shared.
struct TryMutex: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  /// Gives the memory back; nobody may be in, or come.
  func destroy() {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  @inline(__always)
  func lock() { pthread_mutex_lock(mutex) }

  @inline(__always)
  func unlock() { pthread_mutex_unlock(mutex) }

  /// Takes the mutex if nobody has it; returns whether it did.
  @inline(__always)
  func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }
}

/// What the models ask the system's clocks for.
enum SystemTime {
  /// Seconds on a clock that never goes back. Where there is one that is read for a tenth of the
  /// price and goes by ticks of some milliseconds, it is that: the ages that are told by it are
  /// seconds.
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

  /// Has the calling thread sleep.
  static func sleep(milliseconds: Int) {
    usleep(UInt32(milliseconds) * 1000)
  }
}
