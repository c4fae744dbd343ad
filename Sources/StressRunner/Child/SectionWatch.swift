import Foundation
import Interlock
import Synchronization

/// Sends the findings of the section tracker to the parent.
final class SectionWatch: Sendable {
  /// The exit code after a conflict, the same as ThreadSanitizer's.
  static let exitCode: Int32 = 66
  /// The most misuse lines sent: more add no information.
  private static let mostMisuses = 100

  private let events: EventPipe
  private let table: ProgressTable
  private let misuses = Atomic(0)

  /// Creates a watch that reports to this pipe, and sets the stage in this table.
  init(reportingTo events: EventPipe, _ table: ProgressTable) {
    self.events = events
    self.table = table
  }

  /// Reports the first conflict and ends the process.
  func conflict(_ conflict: () -> Conflict) -> Never {
    table.stage = .reporting
    events.send(.coverage(SectionTracking.coverageReport))
    events.send(.conflict(conflict()))
    _exit(Self.exitCode)
  }

  /// Reports a misuse; the workload continues.
  func misuse(_ line: String) {
    // Relaxed: it does not matter which misuses are beyond the limit.
    if misuses.wrappingAdd(1, ordering: .relaxed).oldValue < Self.mostMisuses {
      events.send(.misuse(line))
    }
  }
}

/// Makes the section tracker report to `watch`, whatever the environment says.
func watchSections(reportingTo watch: SectionWatch) {
  // No thread continues after a conflict: it could corrupt the heap and crash the process before
  // the conflict is reported.
  SectionTracking.stopAtFirstConflict { watch.conflict($0) }
  // No delays before the workload begins: the preparation has no second caller, and a script sets
  // its own order.
  SectionTracking.delays = false
  SectionTracking.coverage = false
  SectionTracking.onMisuse = .handler { watch.misuse($0.line) }
}
