import Interlock
import MemoryCheck
import Synchronization

/// Sends the races in memory of a child to its parent; the child goes on.
final class MemoryWatch: Sendable {
  /// More races of a kind than this add no information, and the parent takes a flood for a fault.
  private static let most = 100

  private let events: EventPipe
  private let decided = Atomic(0)
  private let undecided = Atomic(0)

  /// Reports to this pipe.
  init(reportingTo events: EventPipe) {
    self.events = events
  }

  /// Starts the check; returns why it cannot, `nil` if it does.
  func start() -> String? { MemoryCheck.start { self.add($0.race) } }

  private func add(_ race: MemoryRace) {
    // Apart, so that those which decide nothing do not keep the others out. Relaxed: a limit, and
    // it does not matter which ones are beyond it.
    let earlier =
      race.isDecided
      ? decided.wrappingAdd(1, ordering: .relaxed).oldValue
      : undecided.wrappingAdd(1, ordering: .relaxed).oldValue
    if earlier < Self.most { events.send(.memoryRace(race)) }
  }

  /// Waits for the races that are being reported, and reports why the check has gone off, if it
  /// has.
  func finish() {
    MemoryCheck.finish()
    if let reason = MemoryCheck.blindness { events.send(.memoryLost(reason)) }
  }
}

extension Trial {
  /// The resident memory that the child may have. Each 8 bytes that it accesses take 48 bytes of
  /// shadow if memory is checked.
  var memoryMebibytes: Int {
    let own = scenario.limits.memoryMebibytes
    return checksMemory ? own * 7 : own
  }
}
