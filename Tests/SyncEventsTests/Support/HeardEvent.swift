import CInterlockEvents
import Interlock
import ProcessInspection

/// A recorded event.
struct HeardEvent: Sendable {
  var kind: interlock_event_kind
  var objectKind: interlock_object_kind
  var flags: Int
  var object: UInt
  var other: UInt
  /// The block's address, which connects its events; only valid until it has begun.
  var item: UInt
  var place: UInt
  var value: Int64
  var label: String?
  var thread: Int

  /// Copies an event, which is only valid during the call.
  init(_ event: interlock_event) {
    kind = event.kind
    objectKind = event.object_kind
    flags = Int(event.flags)
    object = UInt(bitPattern: event.object)
    other = UInt(bitPattern: event.other)
    item = UInt(bitPattern: event.item)
    place = withUnsafePointer(to: event) { UInt(interlock_events_place($0)) }
    value = event.value
    label = event.label.map { String(cString: $0) }
    thread = Platform.thisThread
  }

  /// Kind, object and flags, as in `wait mutex limit`.
  var words: String {
    ([kindWord, objectWord] + Self.flagWords.filter { flags & $0.0 != 0 }.map(\.1))
      .joined(separator: " ")
  }

  private static let flagWords: [(Int, String)] = [
    (INTERLOCK_FLAG_TIME_LIMIT, "limit"), (INTERLOCK_FLAG_BARRIER, "barrier"),
    (INTERLOCK_FLAG_DELAYED, "delayed"), (INTERLOCK_FLAG_ON_GROUP, "on-group"),
    (INTERLOCK_FLAG_JOB, "job"), (INTERLOCK_FLAG_INTERNAL, "internal"),
    (INTERLOCK_FLAG_APPLY, "apply"), (INTERLOCK_FLAG_WORK_ITEM, "work-item"),
    (INTERLOCK_FLAG_FREE, "free"), (INTERLOCK_FLAG_FIRST_JOB, "first"),
  ]

  private var kindWord: String {
    switch kind {
    case INTERLOCK_EVENT_CREATE: "create"
    case INTERLOCK_EVENT_WAIT: "wait"
    case INTERLOCK_EVENT_ACQUIRE: "acquire"
    case INTERLOCK_EVENT_GIVE_UP: "give-up"
    case INTERLOCK_EVENT_RELEASE: "release"
    case INTERLOCK_EVENT_ENTER: "enter"
    case INTERLOCK_EVENT_ENQUEUE: "enqueue"
    case INTERLOCK_EVENT_BEGIN: "begin"
    case INTERLOCK_EVENT_END: "end"
    case INTERLOCK_EVENT_CONFIGURE: "configure"
    case INTERLOCK_EVENT_CANCEL: "cancel"
    case INTERLOCK_EVENT_UNFOLLOWED: "unfollowed"
    case INTERLOCK_EVENT_DESTROY: "destroy"
    case INTERLOCK_EVENT_TASK: "task"
    default: "unknown"
    }
  }

  private var objectWord: String {
    switch objectKind {
    case INTERLOCK_OBJECT_MUTEX: "mutex"
    case INTERLOCK_OBJECT_READ_LOCK: "read-lock"
    case INTERLOCK_OBJECT_WRITE_LOCK: "write-lock"
    case INTERLOCK_OBJECT_CONDITION: "condition"
    case INTERLOCK_OBJECT_SEMAPHORE: "semaphore"
    case INTERLOCK_OBJECT_GROUP: "group"
    case INTERLOCK_OBJECT_QUEUE: "queue"
    case INTERLOCK_OBJECT_FUTEX: "futex"
    case INTERLOCK_OBJECT_OWNED_FUTEX: "owned-futex"
    case INTERLOCK_OBJECT_WORK_ITEM: "work-item"
    case INTERLOCK_OBJECT_ONCE: "once"
    case INTERLOCK_OBJECT_THREAD: "thread"
    case INTERLOCK_OBJECT_CONTINUATION: "continuation"
    case INTERLOCK_OBJECT_STREAM: "stream"
    case INTERLOCK_OBJECT_IDLE: "idle"
    case INTERLOCK_OBJECT_TASK: "task"
    default: "unknown"
    }
  }

  /// The line that the event names, as in `MutexTests.swift:12`.
  var line: String { lineOf(place) }
}

/// The innermost line of the user's code at a return address, as in `MutexTests.swift:12`; or
/// what is there instead.
func lineOf(_ place: UInt) -> String {
  guard let frame = symbolicate([place]).first else { return "nothing" }
  guard let file = frame.file, let line = frame.line else { return "\(frame)" }
  return "\(file.split(separator: "/").last ?? ""):\(line)"
}
