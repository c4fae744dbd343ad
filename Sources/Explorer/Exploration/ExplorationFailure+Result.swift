internal import CInterlockExplorer
import Interlock
internal import ProcessInspection
import Hangs

extension ExplorationFailure {
  /// The failure of a result; `race` is the last one.
  init(
    _ result: interlock_exploration_result, _ schedule: Schedule, race: ExploredRace?,
    token: String, origin: Origin, escaped: [String]
  ) {
    verdict =
      switch result.verdict {
      case INTERLOCK_EXPLORED_DEADLOCK: .deadlock(result.dry_pool_width > 0 ? .starvation : nil)
      case INTERLOCK_EXPLORED_LIVELOCK: .livelock
      case INTERLOCK_EXPLORED_TIMED_OUT: .timedOut
      case INTERLOCK_EXPLORED_CRASHED: .crashed(signal: Int(result.signal))
      case INTERLOCK_EXPLORED_MISUSE: .misuse
      case INTERLOCK_EXPLORED_SELF_WAIT: .selfWait
      case INTERLOCK_EXPLORED_NOT_DETERMINISTIC: .notDeterministic
      case INTERLOCK_EXPLORED_RACE: .race(race)
      default: .failed
      }
    text = result.text.map { String(cString: $0) } ?? ""
    if result.differed_at > 0 { text = Schedule.difference(result) }
    switch (verdict, race) {
    case (.race, .memory(let race)?): text = "race in memory: \(race.sentence)"
    case (.race, _): break
    default: memoryRace = race?.inMemory
    }
    let line = result.place.map { String(cString: $0) }
    place = line == "" ? nil : line
    thread = Int(result.failed_thread)
    self.schedule = schedule
    if result.dry_pool_width > 0 { dryPoolWidth = Int(result.dry_pool_width) }
    (self.token, self.origin, self.escaped) = (token, origin, escaped)
  }
}

extension ExploredRace {
  /// The race without the stack frames that run the body, and with the names that threads have in
  /// the schedule of its execution.
  func shown(in schedule: Schedule) -> Self {
    switch self {
    case .sections(var race):
      race.first.stack = race.first.stack.withoutEngine
      race.second.stack = race.second.stack.withoutEngine
      return .sections(race)
    case .memory(var race):
      race.first.show(in: schedule)
      race.second.show(in: schedule)
      return .memory(race)
    }
  }
}

extension MemoryRace.Side {
  fileprivate mutating func show(in schedule: Schedule) {
    stack = stack.withoutEngine
    party = exploredThread.map { schedule.party(ofThread: $0).name }
  }
}

extension [StackFrame] {
  /// The frames up to the first one that belongs to the code which runs a body or a block.
  fileprivate var withoutEngine: [StackFrame] {
    let end = firstIndex { frame in
      switch frame.file.flatMap(OwnCode.part(ofFile:)) {
      case .harness, .interposition: true
      default: false
      }
    }
    guard let end, end > 0 else { return self }
    var own = Array(self[..<end])
    while let last = own.last, last.isSystem, own.count > 1 { own.removeLast() }
    return own
  }
}
