import CInterlockEvents
import Foundation

/// Reads the events of mutexes as any reader does, and checks their order on each thread.
enum EventReader {
  private struct Lock: Hashable {
    let thread: UInt
    let object: UInt
  }

  // Unsafe: explored threads run one at a time, and no other thread locks while they do.
  nonisolated(unsafe) private static var waits: Set<Lock> = []
  nonisolated(unsafe) private static var held: Set<Lock> = []
  nonisolated(unsafe) private(set) static var acquisitions = 0
  nonisolated(unsafe) private(set) static var errors = 0

  /// The number of threads that wait for a mutex without having acquired it.
  static var unanswered: Int { waits.count }
  static var unreleased: Int { held.count }

  static func start() -> Bool {
    let kinds = [
      INTERLOCK_EVENT_WAIT, INTERLOCK_EVENT_ACQUIRE, INTERLOCK_EVENT_GIVE_UP,
      INTERLOCK_EVENT_RELEASE,
    ].reduce(0) { $0 | UInt32($1.rawValue) }
    return interlock_events_add(
      { event, _ in
        if let event = event?.pointee, event.object_kind == INTERLOCK_OBJECT_MUTEX {
          EventReader.note(event)
        }
      }, nil, kinds)
  }

  private static func note(_ event: interlock_event) {
    // Only the user's locks: the runtime has many of its own.
    guard interlock_events_is_users(withUnsafePointer(to: event, interlock_events_place)) else {
      return
    }
    let lock = Lock(thread: UInt(pthread_self()), object: UInt(bitPattern: event.object))
    switch event.kind {
    case INTERLOCK_EVENT_WAIT:
      if !waits.insert(lock).inserted { errors += 1 }
    case INTERLOCK_EVENT_ACQUIRE:
      waits.remove(lock)
      acquisitions += 1
      if !held.insert(lock).inserted { errors += 1 }
    case INTERLOCK_EVENT_GIVE_UP:
      if waits.remove(lock) == nil { errors += 1 }
    default:
      if held.remove(lock) == nil { errors += 1 }
    }
  }
}
