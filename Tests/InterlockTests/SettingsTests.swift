import Testing

@testable import Interlock
@testable import SectionTable

/// Changes of the settings by code.
struct SettingsTests {
  @Test("changes of two settings on two threads at the same time do not undo each other")
  func together() async {
    await #expect(processExitsWith: .success) {
      let rounds = 100_000
      let other = JoinableThread {
        for round in 1...rounds { Settings.shared.followsOrder = round.isMultiple(of: 2) }
      }
      var lost = 0
      for round in 1...rounds {
        Settings.shared.coverage = round.isMultiple(of: 2)
        if HotSettings.current.coverage != round.isMultiple(of: 2) { lost += 1 }
      }
      other.join()
      precondition(lost == 0, "lost \(lost) of \(rounds) changes")
    }
  }
}
