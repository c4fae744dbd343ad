import Interlock
import MemoryCheck
import Synchronization

/// Sends the memory races of a child to its parent. The child continues.
final class MemoryWatch: Sendable {
  /// The most races sent of each kind. More add no information, and the parent treats a flood as a
  /// fault.
  private static let most = 100

  private let events: EventPipe
  private let decided = Atomic(0)
  private let undecided = Atomic(0)

  /// Creates a watch that reports to this pipe.
  init(reportingTo events: EventPipe) {
    self.events = events
  }

  /// Starts the check. Returns why it cannot run; `nil` if it runs.
  func start() -> String? { MemoryCheck.start { self.add($0.race) } }

  private func add(_ race: MemoryRace) {
    // Count undecided races separately, so that they do not use up the limit of the others.
    // Relaxed: it does not matter which races are beyond the limit.
    let earlier =
      race.isDecided
      ? decided.wrappingAdd(1, ordering: .relaxed).oldValue
      : undecided.wrappingAdd(1, ordering: .relaxed).oldValue
    if earlier < Self.most { events.send(.memoryRace(race)) }
  }

  /// Waits for races that are being reported, and reports why the check has stopped, if it has.
  func finish() {
    MemoryCheck.finish()
    if let reason = MemoryCheck.blindness { events.send(.memoryLost(reason)) }
  }
}

extension Trial {
  /// The resident memory that the child may use. With memory checks, each 8 bytes that it accesses
  /// need 48 bytes of shadow.
  var memoryMebibytes: Int {
    let own = scenario.limits.memoryMebibytes
    return checksMemory ? own * 7 : own
  }
}
