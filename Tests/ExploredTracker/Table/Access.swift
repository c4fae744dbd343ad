internal import CMarks
internal import CInterlockEvents
internal import CInterlockExplorer
package import Glibc

/// The tracker's accesses to shared words, which are points.
package enum Access {
  /// Delays each publication until `flush`, as a store buffer does: a begin then looks before its
  /// own publication is visible, and can miss an overlap. Shows that exploration finds this fault.
  nonisolated(unsafe) package static var delaysPublication = false
  // Unsafe, but explored threads run one at a time.
  nonisolated(unsafe) private static var delayed: [Delayed] = []

  private struct Delayed {
    var thread: pthread_t
    var address: UnsafeMutableRawPointer
    var word: UInt
  }

  static func reach(
    _ kind: interlock_operation_kind, _ address: UnsafeRawPointer, isRelaxed: Bool
  ) {
    if isRelaxed, !isInTable(address) { return }
    if isLooking { return interlock_explored_accessed(kind, address) }
    interlock_explored_access(kind, address)
    atNextAccess.removeValue(forKey: pthread_self())?()
  }

  /// Marks a compare-exchange as a read, because it found another value.
  static func hasOnlyRead(_ address: UnsafeRawPointer, isRelaxed: Bool) {
    if isLooking || isRelaxed && !isInTable(address) { return }
    interlock_explored_access_was(INTERLOCK_OPERATION_READ, address)
  }

  /// True while a thread looks at records, which is one step: its accesses belong to that step.
  nonisolated(unsafe) private static var isLooking = false
  /// The work of each thread in the step of its next access.
  nonisolated(unsafe) package static var atNextAccess: [pthread_t: () -> Void] = [:]

  /// Makes a thread's look at other records, for a report, one step: an owner that ends meanwhile
  /// spins, and a spinning loop has no end in an exploration. The look counts itself in the upper
  /// half of a word of the table, and in the pins of a record, which are outside of the table.
  static func look(_ count: UnsafeRawPointer, _ operand: UInt64, isBegin: Bool) {
    if isInTable(count), operand < 1 << 32 { return }
    interlock_events_hide_thread(isBegin)
    isLooking = isBegin
  }

  static func delays(_ address: UnsafeRawPointer) -> Bool {
    delaysPublication && isInTable(address)
  }

  /// Delays the calling thread's publication in a slot. Returns false if another publication for
  /// the slot is already delayed.
  static func delay(_ word: UInt, at address: UnsafeMutableRawPointer) -> Bool {
    if delayed.contains(where: { $0.address == address }) { return false }
    delayed.append(Delayed(thread: pthread_self(), address: address, word: word))
    return true
  }

  /// Publishes what the calling thread has delayed.
  package static func flush() {
    let own = pthread_self()
    while let next = delayed.firstIndex(where: { $0.thread == own }) {
      let publication = delayed[next]
      interlock_explored_access(INTERLOCK_OPERATION_WRITE, publication.address)
      let old = publication.address.load(as: UInt.self)
      ProgramState.wrote(publication.address, UInt64(old), UInt64(publication.word))
      publication.address.storeBytes(of: publication.word, as: UInt.self)
      delayed.removeAll { $0.address == publication.address }
    }
  }

  /// The delayed publications, as part of the state.
  package static var state: [UInt64] {
    delayed.flatMap { [UInt64(UInt(bitPattern: $0.address)), UInt64($0.word)] }
  }

  /// Drops what threads of an earlier execution have left.
  package static func forget() {
    delayed = []
    atNextAccess = [:]
    isLooking = false
  }

  private static func isInTable(_ address: UnsafeRawPointer) -> Bool {
    guard let table = interlock_get_buckets() else { return false }
    let size = Int(INTERLOCK_BUCKETS * INTERLOCK_BUCKET_WORDS) * MemoryLayout<UInt>.size
    return address >= UnsafeRawPointer(table) && address < UnsafeRawPointer(table) + size
  }
}

/// A value behind a lock of the tracker, which is not explored: one thread runs at a time, and
/// there is no point under the lock, so no thread waits for it.
package final class Guarded<Value>: @unchecked Sendable {
  // Unchecked: one thread runs at a time.
  private var value: Value

  package init(_ value: Value) { self.value = value }

  package func withLock<R, Failure: Error>(_ body: (inout Value) throws(Failure) -> R)
    throws(Failure) -> R
  {
    interlock_events_hide_thread(true)
    defer { interlock_events_hide_thread(false) }
    return try body(&value)
  }
}
