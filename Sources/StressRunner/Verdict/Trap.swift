import Interlock

extension Verdict.Trap {
  /// Finds the reason in the stack of a crashed child, then in the Swift runtime's message; `nil`
  /// if neither shows the reason for the trap.
  init?(_ observation: Observation) {
    // libdispatch on Linux traps without a line on standard error. The trapping function shows the
    // reason.
    let top = (observation.crash?.stack ?? []).prefix(4).compactMap(\.function)
    func traps(in function: String) -> Bool { top.contains { $0.contains(function) } }
    if traps(in: "__DISPATCH_WAIT_FOR_QUEUE__") {
      self = .syncOnOwnQueue
    } else if traps(in: "_dispatch_semaphore_dispose") {
      self = .semaphoreFreed
    } else if traps(in: "dispatch_group_leave") {
      self = .groupOverleft
    } else {
      let lines = observation.errorOutput.split(separator: "\n").map(String.init)
      let said =
        lines.last { $0.contains("Fatal error") || $0.contains("Precondition failed") }
        ?? lines.last { $0.contains("Assertion failed") }
      guard let said else { return nil }
      self = .said(said)
    }
  }
}
