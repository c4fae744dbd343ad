import CInterlockAnalysis
import CInterlockEvents
import ProcessInspection
import Testing

/// The calls that a build interposes, on every system.
@Suite("Which calls a build interposes")
struct AvailabilityTests {
  @Test("A build reports which calls it interposes, and refuses readers if it interposes none")
  func availability() {
    let available = interlock_events_available()
    #if os(Linux)
    #expect(
      available == INTERLOCK_EVENTS_ALL || available == INTERLOCK_EVENTS_NONE_SANITIZER
        || available == INTERLOCK_EVENTS_WITHOUT_DISPATCH)
    #else
    #expect(available == INTERLOCK_EVENTS_NONE_SYSTEM)
    #endif
    let isBlind =
      available == INTERLOCK_EVENTS_NONE_SANITIZER || available == INTERLOCK_EVENTS_NONE_SYSTEM
    #expect((InterposedCalls.blindness == nil) == (available == INTERLOCK_EVENTS_ALL))
    guard isBlind else { return }
    let isIn = interlock_events_add({ _, _ in }, nil, .max)
    #expect(!isIn)
    #expect(!interlock_waits_start())
    #expect(!interlock_waits_started())
    #expect(interlock_waits_is_partial())
  }
}
