/// Decides on which thread or task each caller of a phase makes its calls.
///
/// A caller makes its calls in order. It waits for each to complete before it makes the next,
/// except after an asynchronous one.
protocol Driver: Sendable {
  /// Makes every caller's calls on other threads than the calling one. Returns when all that it
  /// started has ended or will end by itself; the calls need not have completed.
  func drive(_ run: PhaseRun)
}

extension Workload.Driver {
  /// What runs the callers.
  func make() -> any Driver {
    switch self {
    case .dispatchQueue: DispatchQueueDriver()
    case .threads: ThreadsDriver()
    case .tasks: TasksDriver()
    }
  }
}
