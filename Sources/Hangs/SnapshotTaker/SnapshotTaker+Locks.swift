import CInterlockAnalysis
import CInterlockEvents
import Interlock

// Mutexes and read-write locks: the places that created them, and those that an ended thread left
// locked.

extension SnapshotTaker {
  private static let mostLeftLocks = 64

  /// The mutexes and read-write locks that threads hold or wait for, by address, with the place
  /// that created each. A lock in a C variable, which no call creates, has the variable instead.
  /// Locks with neither are left out.
  static func madeLocks(of threads: [WaitSnapshot.Thread]) -> [UInt: WaitSnapshot.Signal] {
    var found: [UInt: WaitSnapshot.Signal] = [:]
    func add(_ object: UInt, _ kind: WaitSnapshot.ObjectKind) {
      switch kind {
      case .mutex, .readLock, .writeLock:
        var lock = WaitSnapshot.Signal(id: object, kind: kind)
        if nameLock(&lock) { found[object] = lock }
      default: return
      }
    }
    for thread in threads {
      for held in thread.held { add(held.object, held.kind) }
      if let wait = thread.wait { add(wait.object, wait.kind) }
    }
    return found
  }

  /// Adds the place that created a lock or condition, or its variable. Returns false if both are
  /// unknown.
  static func nameLock(_ lock: inout WaitSnapshot.Signal) -> Bool {
    let kind = lock.kind == .mutex ? INTERLOCK_OBJECT_MUTEX : INTERLOCK_OBJECT_WRITE_LOCK
    var callers = interlock_object_view().created_callers
    var place = withUnsafeMutableBytes(of: &callers) {
      interlock_waits_made_by(lock.id, $0.bindMemory(to: UInt.self).baseAddress)
    }
    if lock.kind != .condition, !interlock_lock_is_made_at(lock.id, kind.rawValue, place) {
      place = 0
    }
    if place != 0 {
      lock.created = frames(place) + Self.callers(&callers)
    } else if let variable = interlock_variable_symbol(lock.id) {
      lock.variable = String(cString: variable)
    }
    return place != 0 || lock.variable != nil
  }

  /// The locks that threads wait for and that an ended thread left locked, confirmed by the lock's
  /// own word.
  static func leftLocks(for threads: [WaitSnapshot.Thread]) -> [WaitSnapshot.LeftLock] {
    let wanted = Set(threads.compactMap(\.wait?.object))
    let left = [interlock_left_lock](unsafeUninitializedCapacity: mostLeftLocks) {
      $1 = min(interlock_waits_left_locks($0.baseAddress, mostLeftLocks), mostLeftLocks)
    }
    let noted: [WaitSnapshot.LeftLock] = left.compactMap { lock in
      guard wanted.contains(lock.object), let kind = kind(lock.kind),
        interlock_lock_is_held_by(lock.object, lock.kind, lock.thread)
      else { return nil }
      return WaitSnapshot.LeftLock(
        kind: kind, object: lock.object, place: frames(lock.place, lock.outer),
        thread: Int(lock.thread),
        threadName: withUnsafeBytes(of: lock.name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }, leftBy: lock.left_by == 0 ? nil : lock.left_by)
    }
    let unseen = mutexesOfEndedThreads(waitedForBy: threads, besides: Set(noted.map(\.object)))
    return (noted + unseen).sorted { $0.object < $1.object }
  }

  /// Mutexes that were acquired before the table was filled, and whose words name an ended thread.
  private static func mutexesOfEndedThreads(
    waitedForBy threads: [WaitSnapshot.Thread], besides known: Set<UInt>
  ) -> [WaitSnapshot.LeftLock] {
    let objects = Set(threads.compactMap(\.wait).filter { $0.kind == .mutex }.map(\.object))
    let alive = Set(threads.map(\.id))
    return objects.subtracting(known).compactMap { object in
      let owner = interlock_mutex_owner(object)
      guard owner != 0, !alive.contains(Int(owner)),
        interlock_lock_is_held_by(object, INTERLOCK_OBJECT_MUTEX.rawValue, owner)
      else { return nil }
      return WaitSnapshot.LeftLock(kind: .mutex, object: object, thread: Int(owner))
    }
  }
}
