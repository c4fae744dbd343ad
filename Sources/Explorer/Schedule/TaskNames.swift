internal import CInterlockEvents
import Interlock
internal import Synchronization

extension Exploration {
  /// Task names of the running execution, by the thread that ran the task when it was named.
  private static let names = Mutex<[Int: String]>([:])

  /// Names the calling task in schedules of the running execution.
  package static func nameTask(_ name: String) {
    guard let thread = SectionTracking.exploredThread else { return }
    update { $0[thread] = name }
  }

  /// Hide the lock from the engine: as a point of the execution it would order the named tasks.
  private static func update(_ change: (inout [Int: String]) -> Void) {
    interlock_events_hide_thread(true)
    names.withLock { change(&$0) }
    interlock_events_hide_thread(false)
  }

  /// Removes the names of the previous execution. Call it when a body that names tasks begins.
  package static func forgetTaskNames() { update { $0 = [:] } }

  /// The task names for the schedule of the last execution.
  static func taskNames(_ schedule: Schedule) -> [Int: String]? {
    let names = names.withLock { $0 }
    if names.isEmpty { return nil }
    let named = schedule.steps.compactMap { step in
      step.task.flatMap { task in names[step.thread].map { (task, $0) } }
    }
    return Dictionary(named) { first, _ in first }
  }
}
