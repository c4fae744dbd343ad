import CInterlockAnalysis
internal import CInterlockExplorer
import Interlock
import Prediction

/// The check of the order of sections in executions of a body that has sections.
enum RaceCheck {
  /// Starts the check for a body with these `facts`. Without sections there is nothing to check,
  /// and call events are not read.
  static func start(_ facts: UInt32) {
    guard facts & UInt32(INTERLOCK_FACT_SECTIONS.rawValue) != 0, SectionTracking.isCompiledIn
    else { return }
    // Event readers cannot be removed: they stay until the process ends.
    if interlock_clocks_start() { SectionTracking.followsOrder = true }
  }

  /// Why the order of sections stays unknown for the rest of the process; `nil` if it is known, or
  /// the body has no sections.
  static func blindness(_ facts: UInt32) -> String? {
    guard facts & UInt32(INTERLOCK_FACT_SECTIONS.rawValue) != 0, SectionTracking.isCompiledIn
    else { return nil }
    return interlock_clocks_blindness().map { String(cString: $0) }
  }

  /// Why the last race is not reported: code without events may order its two sides. Such a race is
  /// ignored from then on. `nil` if it is reported.
  static func undecided() -> String? {
    guard let accesses = ExploredRaces.unordered,
      let doubt = UncontrolledCode.doubt(about: accesses)
    else { return nil }
    ExploredRaces.setUndecided()
    let (first, second) = (accesses.first.section.place, accesses.second.section.place)
    return "what orders the sections at \(first.file):\(first.line) and"
      + " \(second.file):\(second.line), since \(doubt)"
  }

  /// Reports only overlapping sections from now on. This process does not know which pair a child's
  /// undecided race has, and cannot ignore that pair alone.
  static func stopFollowingOrder() { SectionTracking.followsOrder = false }

  /// Runs `body` with an empty list of races.
  static func alone<R, Failure: Error>(_ body: () throws(Failure) -> R) throws(Failure) -> R {
    let followed = SectionTracking.followsOrder
    ExploredRaces.removeAll()
    defer { SectionTracking.followsOrder = followed }
    return try body()
  }
}
