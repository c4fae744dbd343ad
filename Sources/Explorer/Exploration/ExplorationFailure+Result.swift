internal import CInterlockExplorer
import Interlock
internal import ProcessInspection
import Hangs

extension ExplorationFailure {
  /// The failure of a result; `race` is the one that a child process found.
  init(
    _ result: interlock_exploration_result, token: String, origin: Origin,
    race: ExplorationRace?
  ) {
    switch result.verdict {
    case INTERLOCK_EXPLORED_DEADLOCK: verdict = .deadlock
    case INTERLOCK_EXPLORED_LIVELOCK: verdict = .livelock
    case INTERLOCK_EXPLORED_TIMED_OUT: verdict = .timedOut
    case INTERLOCK_EXPLORED_CRASHED: verdict = .crashed(signal: Int(result.signal))
    case INTERLOCK_EXPLORED_MISUSE: verdict = .misuse
    case INTERLOCK_EXPLORED_SELF_WAIT:
      verdict = .misuse
      cause = .`self`
    case INTERLOCK_EXPLORED_NOT_DETERMINISTIC: verdict = .notDeterministic
    case INTERLOCK_EXPLORED_RACE: verdict = .race
    default: verdict = .failed
    }
    text = result.text.map { String(cString: $0) } ?? ""
    if result.differed_at > 0 { text = Schedule.difference(result) }
    let line = result.place.map { String(cString: $0) }
    place = line == "" ? nil : line
    thread = Int(result.failed_thread)
    schedule = Schedule(result)
    if result.dry_pool_width > 0 {
      dryPoolWidth = Int(result.dry_pool_width)
      cause = .starvation
    }
    // Keep a memory race also for other verdicts: if its accesses are points, it does not end the
    // execution.
    let shown = race == nil ? SectionTracking.exploredRace : nil
    memoryRace = shown?.inMemory?.withoutEngine
    if verdict == .race {
      self.race = (race ?? shown.flatMap(ExplorationRace.init))?.withoutEngine
      if let memoryRace { text = "race in memory: \(memoryRace.sentence)" }
    }
    self.token = token
    self.origin = origin
  }
}

extension ExplorationRace {
  /// Both stacks, without the frames that run the body.
  fileprivate var withoutEngine: Self {
    var race = self
    race.first.stack = first.stack.withoutEngine
    race.second.stack = second.stack.withoutEngine
    return race
  }
}

extension MemoryRace {
  /// Both stacks, without the frames that run the body.
  fileprivate var withoutEngine: Self {
    var race = self
    race.first.stack = first.stack.withoutEngine
    race.second.stack = second.stack.withoutEngine
    return race
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
