import CInterlockEvents
import TestSupport
import Testing

/// The calls that wait, wake and enqueue, the wait table and the watchdog, with real threads.
///
/// Serialized, because a process has few slots for readers.
@Suite(
  "Synchronisation events", .serialized, .hangLimit,
  .enabled(
    if: interlock_events_available() == INTERLOCK_EVENTS_ALL, "this build sees no calls"))
struct SyncEvents {}
