import Testing

@testable import Interlock
@testable import SectionTable

/// What code changes in the settings.
struct SettingsTests {
  @Test("a change of one thread is not undone by a change of another setting on another thread")
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
