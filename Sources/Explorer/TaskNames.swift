import Interlock
internal import Synchronization

extension Exploration {
  /// By the thread that the task ran on when it was named: the running execution's.
  private static let names = Mutex<[Int: String]>([:])

  /// Names the calling task in schedules of the running execution.
  package static func nameTask(_ name: String) {
    guard let thread = SectionTracking.exploredThread else { return }
    names.withLock { $0[thread] = name }
  }

  /// Forgets the names of the execution before: call it when a body begins that names its tasks.
  package static func forgetTaskNames() { names.withLock { $0 = [:] } }

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
