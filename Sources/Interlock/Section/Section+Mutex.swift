internal import CInterlock
internal import SectionTable
public import Synchronization

// A `Mutex` has a fast path that is inlined into its caller, where no call shows it. Locked through
// a section, it is seen by lock order and by the order of sections.

extension Section {
  /// Locks a mutex, and runs `body` on its value as a section that reads.
  ///
  /// The mutex is held as `Mutex.withLock` holds it; for prediction it is a lock like any other.
  /// One mutex belongs to one section. Locking the mutex without the section is not seen.
  /// Thread-safe; returns and throws what `body` does.
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
    let held = HeldMutex(mutex, of: self, interlock_caller())
    return try take(mutex, held, .noWrite, at: Site(file, function, line)) {
      (value) throws(Failure) in try body(value)
    }
    #else
    return try mutex.withLock { (value) throws(Failure) in try body(value) }
    #endif
  }

  /// Locks a mutex, and runs `body` on its value as a section that writes.
  ///
  /// Otherwise as the form that reads.
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
    let held = HeldMutex(mutex, of: self, interlock_caller())
    return try take(mutex, held, .noReadWrite, at: Site(file, function, line), body)
    #else
    return try mutex.withLock(body)
    #endif
  }
}

#if INTERLOCK_TRACKING

extension Section {
  @inline(never)
  private func take<Value: ~Copyable, R: ~Copyable, Failure: Error>(
    _ mutex: borrowing Mutex<Value>, _ held: HeldMutex, _ mode: Mode, at site: Site,
    _ body: (inout sending Value) throws(Failure) -> sending R
  ) throws(Failure) -> sending R {
    let isExplored = HotSettings.current.isExplored
    if isExplored { ExploredSections.willLock(held.address, at: site) }
    return try mutex.withLock { (value) throws(Failure) in
      held.publish(INTERLOCK_LOCK_TAKEN)
      defer {
        held.publish(INTERLOCK_LOCK_GIVEN_BACK)
        if isExplored { ExploredSections.willUnlock(held.address) }
      }
      let open = Registry.begin(resource, writes: mode.writes, synched: true, at: site)
      defer { if let open { Registry.end(open, on: resource, at: site) } }
      return try body(&value)
    }
  }
}

/// A mutex that a section locks, by its address, which is stable.
private struct HeldMutex {
  let address: UnsafeRawPointer
  private let section: UInt64
  private let caller: interlock_call_place

  init<Value: ~Copyable>(
    _ mutex: borrowing Mutex<Value>, of section: Section, _ caller: interlock_call_place
  ) {
    address = withUnsafePointer(to: mutex) { UnsafeRawPointer($0) }
    self.section = section.resource.key.hash
    self.caller = caller
  }

  func publish(_ change: interlock_lock_change) {
    interlock_publish_section_lock(change, address, section, caller)
  }
}

#endif
