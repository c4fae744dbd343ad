internal import CMarks
internal import SectionTable
public import Synchronization

// A `Mutex` has a fast path that is inlined into its caller, without a call. If it is locked
// through a section, lock order and the order of sections can follow it.

extension Section {
  /// Locks a mutex, and runs `body` on its value as a section that reads.
  ///
  /// The mutex is held as by `Mutex.withLock`; prediction treats it like any other lock. One mutex
  /// belongs to one section. Locking the mutex without the section is not seen. Thread-safe.
  /// Returns and throws what `body` does.
  #if INTERLOCK_TRACKING
  @inline(never)
  #else
  @_transparent
  #endif
  public func read<Value: ~Copyable, R: ~Copyable, Failure: Error>(
    locking mutex: borrowing Mutex<Value>, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line,
    _ body: (borrowing Value) throws(Failure) -> sending R
  ) throws(Failure) -> sending R {
    #if INTERLOCK_TRACKING
    return try words.lock(mutex, for: interlock_caller(), writes: false, file, function, line) {
      (value) throws(Failure) in try body(value)
    }
    #else
    return try mutex.withLock { (value) throws(Failure) in try body(value) }
    #endif
  }

  /// Locks a mutex, and runs `body` on its value as a section that writes.
  ///
  /// See `read` for everything else.
  #if INTERLOCK_TRACKING
  @inline(never)
  #else
  @_transparent
  #endif
  public func write<Value: ~Copyable, R: ~Copyable, Failure: Error>(
    locking mutex: borrowing Mutex<Value>, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line,
    _ body: (inout sending Value) throws(Failure) -> sending R
  ) throws(Failure) -> sending R {
    #if INTERLOCK_TRACKING
    return try words.lock(
      mutex, for: interlock_caller(), writes: true, file, function, line, body)
    #else
    return try mutex.withLock(body)
    #endif
  }
}
