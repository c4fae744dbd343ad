import CInterlockEvents

/// Says whether this build sees the calls that wait, wake and enqueue.
package enum InterposedCalls {
  /// Why this build does not see them, as text; `nil` if it does.
  package static var blindness: String? {
    switch interlock_events_available() {
    case INTERLOCK_EVENTS_ALL: nil
    case INTERLOCK_EVENTS_WITHOUT_DISPATCH:
      "Dispatch is linked in statically, so its calls are not seen"
    case INTERLOCK_EVENTS_NONE_SANITIZER:
      "this build does not see the calls that wait and wake: ThreadSanitizer is built in"
    case INTERLOCK_EVENTS_NONE_LAYOUT: lostLayouts(.max)
    default: "the calls that wait and wake are not seen on this system"
    }
  }

  /// Why one of the given private layouts does not match this system's, as text; `nil` if all
  /// match.
  package static func lostLayouts(_ among: UInt32) -> String? {
    interlock_layouts_lost(among).map { String(cString: $0) }
  }
}
