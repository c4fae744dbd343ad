internal import CInterlock
public import Synchronization

// A `Mutex` has a fast path that is compiled into the code which takes it, where no call shows it.
// Taken through a section, it is seen: by the order of locks, and by the order of sections.

#if INTERLOCK_TRACKING

extension Section {
  /// Takes a mutex, and runs `body` on its value as a section that reads.
  ///
  /// The mutex is held as `Mutex.withLock` holds it; where prediction is on, it is a lock like any
  /// other. One mutex belongs to one section. Nothing of it is seen where it is taken without the
  /// section. Thread-safe; gives what `body` gives, and throws what it throws.
  @inline(never)
  public func read<Value: ~Copyable, R: ~Copyable, Failure: Error>(
    locking mutex: borrowing Mutex<Value>, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line,
    _ body: (borrowing Value) throws(Failure) -> sending R
  ) throws(Failure) -> sending R {
    let held = HeldMutex(mutex, of: self, interlock_caller())
    return try take(mutex, held, .noWrite, at: Site(file, function, line)) {
      (value) throws(Failure) in try body(value)
    }
  }

  /// Takes a mutex, and runs `body` on its value as a section that writes.
  ///
  /// Everything else is as in the form that reads.
  @inline(never)
  public func write<Value: ~Copyable, R: ~Copyable, Failure: Error>(
    locking mutex: borrowing Mutex<Value>, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line,
    _ body: (inout sending Value) throws(Failure) -> sending R
  ) throws(Failure) -> sending R {
    let held = HeldMutex(mutex, of: self, interlock_caller())
    return try take(mutex, held, .noReadWrite, at: Site(file, function, line), body)
  }

  @inline(never)
  private func take<Value: ~Copyable, R: ~Copyable, Failure: Error>(
    _ mutex: borrowing Mutex<Value>, _ held: HeldMutex, _ mode: Mode, at site: Site,
    _ body: (inout sending Value) throws(Failure) -> sending R
  ) throws(Failure) -> sending R {
    try mutex.withLock { (value) throws(Failure) in
      held.tell(INTERLOCK_LOCK_TAKEN)
      defer { held.tell(INTERLOCK_LOCK_GIVEN_BACK) }
      let open = Registry.begin(resource, mode, synched: true, at: site)
      defer { if let open { Registry.end(open, on: resource, at: site) } }
      return try body(&value)
    }
  }
}

/// A mutex that a section takes, by its address, which stays as long as it lives.
private struct HeldMutex {
  private let address: UnsafeRawPointer
  private let section: UInt64
  private let caller: interlock_call_place

  init<Value: ~Copyable>(
    _ mutex: borrowing Mutex<Value>, of section: Section, _ caller: interlock_call_place
  ) {
    address = withUnsafePointer(to: mutex) { UnsafeRawPointer($0) }
    self.section = section.resource.key.hash
    self.caller = caller
  }

  func tell(_ change: interlock_lock_change) {
    interlock_tell_sections_lock(change, address, section, caller)
  }
}

#else

extension Section {
  /// Takes the mutex, and runs `body` on its value: tracking is not compiled in.
  @_transparent
  public func read<Value: ~Copyable, R: ~Copyable, Failure: Error>(
    locking mutex: borrowing Mutex<Value>, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line,
    _ body: (borrowing Value) throws(Failure) -> sending R
  ) throws(Failure) -> sending R {
    try mutex.withLock { (value) throws(Failure) in try body(value) }
  }

  /// Takes the mutex, and runs `body` on its value: tracking is not compiled in.
  @_transparent
  public func write<Value: ~Copyable, R: ~Copyable, Failure: Error>(
    locking mutex: borrowing Mutex<Value>, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line,
    _ body: (inout sending Value) throws(Failure) -> sending R
  ) throws(Failure) -> sending R {
    try mutex.withLock(body)
  }
}

#endif
