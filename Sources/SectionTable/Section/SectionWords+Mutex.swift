package import CMarks
package import Synchronization

extension SectionWords {
  /// Locks a mutex, and runs `body` on its value as a section. `caller` is the code that reports
  /// show as taking the lock.
  @inline(never)
  package func lock<Value: ~Copyable, R: ~Copyable, Failure: Error>(
    _ mutex: borrowing Mutex<Value>, for caller: interlock_call_place, writes: Bool,
    _ file: StaticString, _ function: StaticString, _ line: UInt,
    _ body: (inout sending Value) throws(Failure) -> sending R
  ) throws(Failure) -> sending R {
    let held = HeldMutex(mutex, of: self, caller)
    let site = Site(file, function, line)
    let isExplored = HotSettings.current.isExplored
    if isExplored { ExploredSections.willLock(held.address, at: site) }
    return try mutex.withLock { (value) throws(Failure) in
      held.publish(INTERLOCK_LOCK_TAKEN)
      defer {
        held.publish(INTERLOCK_LOCK_GIVEN_BACK)
        if isExplored { ExploredSections.willUnlock(held.address) }
      }
      let open = Registry.begin(resource, writes: writes, synched: true, at: site)
      defer { if let open { Registry.end(open, on: resource, at: site) } }
      return try body(&value)
    }
  }
}

/// A mutex that a section locks, by its stable address.
private struct HeldMutex {
  let address: UnsafeRawPointer
  private let section: UInt64
  private let caller: interlock_call_place

  init<Value: ~Copyable>(
    _ mutex: borrowing Mutex<Value>, of section: SectionWords, _ caller: interlock_call_place
  ) {
    address = withUnsafePointer(to: mutex) { UnsafeRawPointer($0) }
    self.section = section.key
    self.caller = caller
  }

  func publish(_ change: interlock_lock_change) {
    interlock_publish_section_lock(change, address, section, caller)
  }
}
