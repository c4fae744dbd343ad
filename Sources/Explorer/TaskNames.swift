internal import CInterlockEvents
import Interlock
internal import Synchronization

extension Exploration {
  /// By the thread that the task ran on when it was named: the running execution's.
  private static let names = Mutex<[Int: String]>([:])

  /// Names the calling task in schedules of the running execution.
  package static func nameTask(_ name: String) {
    guard let thread = SectionTracking.exploredThread else { return }
    update { $0[thread] = name }
  }

  /// The lock is no point of the execution: it would order the tasks that are named.
  private static func update(_ change: (inout [Int: String]) -> Void) {
    interlock_events_hide_thread(true)
    names.withLock { change(&$0) }
    interlock_events_hide_thread(false)
  }

  /// Forgets the names of the execution before: call it when a body begins that names its tasks.
  package static func forgetTaskNames() { update { $0 = [:] } }

  /// The names of a schedule's tasks, whose execution was the last.
  static func taskNames(_ schedule: Schedule) -> [Int: String]? {
    let names = names.withLock { $0 }
    if names.isEmpty { return nil }
    let named = schedule.steps.compactMap { step in
      step.task.flatMap { task in names[step.thread].map { (task, $0) } }
    }
    return Dictionary(named) { first, _ in first }
  }
}
