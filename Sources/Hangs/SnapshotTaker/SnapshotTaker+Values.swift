import CInterlockEvents
import Interlock

// Converts the table's numbers to the snapshot's values.

extension SnapshotTaker {
  /// The object kind for a number of the table; `nil` for none, or for a kind that snapshots do not
  /// have.
  static func kind(_ raw: UInt32) -> WaitSnapshot.ObjectKind? {
    switch interlock_object_kind(raw) {
    case INTERLOCK_OBJECT_MUTEX: .mutex
    case INTERLOCK_OBJECT_READ_LOCK: .readLock
    case INTERLOCK_OBJECT_WRITE_LOCK: .writeLock
    case INTERLOCK_OBJECT_CONDITION: .condition
    case INTERLOCK_OBJECT_SEMAPHORE: .semaphore
    case INTERLOCK_OBJECT_GROUP: .group
    case INTERLOCK_OBJECT_QUEUE: .queue
    case INTERLOCK_OBJECT_FUTEX: .futex
    case INTERLOCK_OBJECT_OWNED_FUTEX: .swiftMutex
    case INTERLOCK_OBJECT_WORK_ITEM: .workItem
    case INTERLOCK_OBJECT_THREAD: .thread
    case INTERLOCK_OBJECT_CONTINUATION: .continuation
    case INTERLOCK_OBJECT_STREAM: .stream
    case INTERLOCK_OBJECT_ONCE: .initializer
    case INTERLOCK_OBJECT_TASK: .task
    case INTERLOCK_OBJECT_ACTOR: .actor
    case INTERLOCK_OBJECT_TASK_GROUP: .taskGroup
    default: nil
    }
  }

  /// The frames of a place and of its call site, where known.
  static func frames(_ place: UInt, _ outer: UInt = 0) -> [StackFrame] {
    [place, outer].filter { $0 != 0 }.map { StackFrame(address: $0) }
  }
}
