import CInterlockEvents
import Testing

/// The calls that wait, wake and enqueue, the wait table, and the watchdog, with real threads.
///
/// Serialized, because a process has few slots for readers.
@Suite(
  "Synchronisation events", .serialized, .timeLimit(.minutes(10)),
  .enabled(
    if: interlock_events_available() == INTERLOCK_EVENTS_ALL, "this build sees no calls"))
struct SyncEvents {}
