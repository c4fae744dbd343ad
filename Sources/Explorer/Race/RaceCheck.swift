import CInterlockAnalysis
internal import CInterlockExplorer
import Interlock
import Prediction

/// Checks the order of sections in the executions of a body that has sections.
enum RaceCheck {
  /// Starts for a body that has shown `facts`. Without sections there is nothing to check, and the
  /// events of its calls are not read.
  static func start(_ facts: UInt32) {
    guard facts & UInt32(INTERLOCK_FACT_SECTIONS.rawValue) != 0, SectionTracking.isCompiledIn
    else { return }
    // For the rest of the process: readers of the events are not removed.
    if interlock_clocks_start() { SectionTracking.followsOrder = true }
  }

  /// Why the order of sections is not known for the rest of the process, of a body that has them;
  /// `nil` if it is.
  static func blindness(_ facts: UInt32) -> String? {
    guard facts & UInt32(INTERLOCK_FACT_SECTIONS.rawValue) != 0, SectionTracking.isCompiledIn
    else { return nil }
    return interlock_clocks_blindness().map { String(cString: $0) }
  }

  /// Why the last race is no finding: code that no event shows may order its two sides. It is
  /// ignored from then on. `nil` if it is a finding.
  static func undecided() -> String? {
    guard case .unordered(let accesses) = SectionTracking.exploredRace,
      let doubt = UncontrolledCode.doubt(about: accesses)
    else { return nil }
    SectionTracking.setExploredRaceUndecided()
    let (first, second) = (accesses.first.section.place, accesses.second.section.place)
    return "what orders the sections at \(first.file):\(first.line) and"
      + " \(second.file):\(second.line), since \(doubt)"
  }

  /// Finds overlapping sections only: of a child's undecided race, this process does not know the
  /// pair.
  static func stopFollowingOrder() { SectionTracking.followsOrder = false }

  /// Runs `body` with an empty list of races.
  static func alone<R, Failure: Error>(_ body: () throws(Failure) -> R) throws(Failure) -> R {
    let followed = SectionTracking.followsOrder
    SectionTracking.forgetExploredRaces()
    defer { SectionTracking.followsOrder = followed }
    return try body()
  }
}
