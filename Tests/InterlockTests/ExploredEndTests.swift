@preconcurrency import CMarks
import Testing

@testable import Interlock
@testable import SectionTable

/// The steps that an explorer is asked for.
private let steps = Guarded<[interlock_section_step]>([])

/// An explorer that lets every thread continue. It lives as long as the process.
private func explore() {
  let explorer = UnsafeMutablePointer<interlock_explored_sections>.allocate(capacity: 1)
  explorer.initialize(
    to: interlock_explored_sections(
      thread: { 0 }, reach: { step, _, _ in steps.withLock { $0.append(step) } },
      lock: { _, _ in }, unlock: { _ in }, hide: {}, done: {}, fail: { _ in }))
  interlock_set_explored_sections(explorer)
}

/// The points of explored sections. The explorer is process-wide, so each test runs in a separate
/// process.
struct ExploredEndTests {
  @Test("each end of nested sections is one point, in whichever order they end")
  func nested() async {
    await #expect(processExitsWith: .success) {
      explore()
      let section = Section("explored.nested")
      section.begin(.noWrite)
      section.begin(.noWrite)
      section.end(.noWrite)
      section.end(.noWrite)
      let (begins, ends) = (INTERLOCK_SECTION_READ_BEGINS, INTERLOCK_SECTION_READ_ENDS)
      precondition(steps.withLock { $0 } == [begins, begins, ends, ends])
      section.write { section.read {} }
      precondition(
        steps.withLock { $0 }.dropFirst(4) == [
          INTERLOCK_SECTION_WRITE_BEGINS, begins, ends, INTERLOCK_SECTION_WRITE_ENDS,
        ])
    }
  }

  @Test("an end without a begin is no point")
  func wrongEnd() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onMisuse = .record
      explore()
      let section = Section("explored.wrong-end")
      section.begin(.noWrite)
      section.end(.noWrite)
      section.end(.noWrite)
      precondition(
        steps.withLock { $0 } == [INTERLOCK_SECTION_READ_BEGINS, INTERLOCK_SECTION_READ_ENDS])
      precondition(SectionTracking.misuses.count == 1)
    }
  }
}
