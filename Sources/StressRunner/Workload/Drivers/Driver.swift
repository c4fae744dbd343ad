/// Decides on which thread or task each caller of a phase makes its calls.
///
/// A caller makes its calls in order. It waits for each call to complete before it makes the next
/// one, except after an asynchronous call.
protocol Driver: Sendable {
  /// Makes every caller's calls on threads other than the calling one. Returns when all started
  /// work has ended or will end by itself. The calls need not have completed.
  func drive(_ run: PhaseRun)
}

extension Workload.Driver {
  /// Creates the driver.
  func make() -> any Driver {
    switch self {
    case .dispatchQueue: DispatchQueueDriver()
    case .threads: ThreadsDriver()
    case .tasks: TasksDriver()
    }
  }
}
