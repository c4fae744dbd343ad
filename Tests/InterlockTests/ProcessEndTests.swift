import Foundation
import InterlockTestsC
import Testing

@testable import Interlock
@testable import SectionTable

/// A process that ends while a conflict is being reported. Each test runs in a separate process.
struct ProcessEndTests {
  @Test(
    "a process that exits while a conflict is being described still traps, with the report")
  func exitWhileTrapping() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let section = Section("end.trapping")
      section.begin(.noWrite)
      let thread = JoinableThread { section.write {} }
      // The flag is set just before the thread reports, and the report takes longer.
      while !ConflictLog.shared.isStoppingNow { Platform.yield() }
      withExtendedLifetime(thread) { exit(EXIT_SUCCESS) }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("interlock: conflict on 'end.trapping"))
    #expect(!text.contains("still open as the process ended"))
  }

  @Test("a misuse handler may itself use sections, also at the end of the process")
  func handlerWithSections() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let log = Section("end.log")
      SectionTracking.onMisuse = .handler { misuse in log.write { writeLine("\(misuse)") } }
      BEGIN_LOCK(.noWrite, "end.open")
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("section on 'end.open' still open"))
  }

  @Test("a fork that exits does not report its parent's findings")
  func fork() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      BEGIN_LOCK(.noWrite, "end.parent")
      precondition(c_exit_code_of_fork() == 0)
      END_LOCK(.noWrite, "end.parent")
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(!text.contains("still open"))
  }

  @Test("the exit code depends on the settings at the time of the conflict")
  func actionOfTheTime() async {
    await #expect(processExitsWith: .exitCode(66)) {
      SectionTracking.onConflict = .record
      overlap("end.recorded", times: 1)
      SectionTracking.onConflict = .handler { _ in }
    }
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .handler { _ in }
      overlap("end.handled", times: 1)
      SectionTracking.onConflict = .record
    }
  }
}
