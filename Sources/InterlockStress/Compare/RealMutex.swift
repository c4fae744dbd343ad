import Foundation

/// The C library's own mutex functions, bypassing this executable's interposed ones; Linux only.
package struct RealMutex {
  /// A call with a mutex.
  package typealias Call = @convention(c) (UnsafeMutableRawPointer) -> Int32
  /// `pthread_mutex_lock`
  package let lock: Call
  /// `pthread_mutex_unlock`
  package let unlock: Call

  /// Looks up the functions; `nil` if they cannot be found.
  package init?() {
    guard let library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD),
      let lock = dlsym(library, "pthread_mutex_lock"),
      let unlock = dlsym(library, "pthread_mutex_unlock")
    else { return nil }
    self.lock = unsafeBitCast(lock, to: Call.self)
    self.unlock = unsafeBitCast(unlock, to: Call.self)
  }

  /// This executable's interposed functions.
  package static var interposed: (lock: Call, unlock: Call) {
    (
      { pthread_mutex_lock($0.assumingMemoryBound(to: pthread_mutex_t.self)) },
      { pthread_mutex_unlock($0.assumingMemoryBound(to: pthread_mutex_t.self)) }
    )
  }

  /// The nanoseconds of an uncontended lock-unlock pair, with the C library's functions and with
  /// this executable's.
  ///
  /// Medians of processor time over alternating rounds.
  package func pairs() -> (real: Double, interposed: Double) {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    defer {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }
    func time(_ lock: Call, _ unlock: Call) -> Double {
      let turns = 20_000
      let start = Self.processorNanoseconds()
      for _ in 0..<turns {
        _ = lock(mutex)
        _ = unlock(mutex)
      }
      return Double(Self.processorNanoseconds() - start) / Double(turns)
    }
    let own = Self.interposed
    let rounds = (0..<21).map { _ in (time(lock, unlock), time(own.lock, own.unlock)) }
    return (rounds.map(\.0).sorted()[10], rounds.map(\.1).sorted()[10])
  }

  private static func processorNanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }
}
