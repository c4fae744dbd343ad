import CInterlockEvents
import Foundation
import Synchronization

/// The scopes of threads and blocks that inherit no task-local value: each belongs to the scope of
/// the task, thread or block that made it.
///
/// A detached task belongs to it up to its first suspension. Where calls are not seen, a thread or
/// block has no scope.
enum InheritedScopes {
  private static let kinds =
    INTERLOCK_EVENT_FORK.rawValue | INTERLOCK_EVENT_START.rawValue
    | INTERLOCK_EVENT_ENQUEUE.rawValue
    | INTERLOCK_EVENT_BEGIN.rawValue | INTERLOCK_EVENT_END.rawValue
    | INTERLOCK_EVENT_CANCEL.rawValue

  /// The scopes of threads and blocks that have not begun, by their addresses.
  private static let made = Locked<[UInt: UInt]>([:])
  /// How many there are: most blocks of a process belong to no scope, and need no lock.
  private static let count = Atomic(0)
  /// The scope that the calling thread or its block has inherited.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// Follows threads and blocks for the rest of the process's life.
  static func start() {
    _ = key
    _ = made
    _ = interlock_events_add(
      { event, _ in
        if let event { InheritedScopes.note(event.pointee) }
      }, nil, kinds)
  }

  /// The scope of the calling task, block or thread; 0 for none.
  static var ofCaller: UInt {
    let bound = TestScope.current
    return bound != 0 ? bound : UInt(bitPattern: pthread_getspecific(key))
  }

  private static func note(_ event: interlock_event) {
    let item = UInt(bitPattern: event.item)
    switch event.kind {
    case INTERLOCK_EVENT_FORK: add(UInt(bitPattern: event.object))
    case INTERLOCK_EVENT_START: inherit(UInt(bitPattern: event.object))
    case INTERLOCK_EVENT_ENQUEUE:
      // A later job of a task is enqueued by the code that resumes it.
      let flags = Int(event.flags)
      if flags & INTERLOCK_FLAG_JOB == 0 || flags & INTERLOCK_FLAG_FIRST_JOB != 0 { add(item) }
    // A synchronous block, without an item, belongs to its thread.
    case INTERLOCK_EVENT_BEGIN: if item != 0 { inherit(item) }
    case INTERLOCK_EVENT_END: if item != 0 { pthread_setspecific(key, nil) }
    case INTERLOCK_EVENT_CANCEL: _ = take(item)
    default: break
    }
  }

  private static func add(_ address: UInt) {
    let scope = ofCaller
    guard scope != 0, address != 0 else { return }
    made.withLock { made in
      if made.updateValue(scope, forKey: address) == nil { count.add(1, ordering: .relaxed) }
    }
  }

  private static func inherit(_ address: UInt) {
    let scope = take(address)
    if scope != 0 || pthread_getspecific(key) != nil {
      pthread_setspecific(key, UnsafeRawPointer(bitPattern: scope))
    }
  }

  private static func take(_ address: UInt) -> UInt {
    // Relaxed: the queue, or the system, has ordered the addition before the beginning.
    guard count.load(ordering: .relaxed) > 0 else { return 0 }
    return made.withLock { made in
      guard let scope = made.removeValue(forKey: address) else { return 0 }
      count.subtract(1, ordering: .relaxed)
      return scope
    }
  }
}
