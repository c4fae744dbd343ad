internal import CInterlock
internal import CInterlockMemory
internal import Foundation
internal import Interlock
internal import Synchronization

/// Reports the races in memory of a process that links this product: each on standard error, and
/// the exit code of conflicts at the end. `on_conflict=` of `INTERLOCK_OPTIONS` decides as for
/// conflicts of sections: `trap` ends the process at the first, `log` reports each pair of places
/// once, `record` only counts them.
enum MemoryRaces {
  /// The pairs of places that were reported.
  private static let pairs = Mutex<Set<Set<String>>>([])

  /// Starts the check, and says so, or why not.
  static func start() {
    guard interlock_memory_is_instrumented() else {
      announceOff("no code of this process is compiled with '-Xfrontend -sanitize=thread'")
      return
    }
    interlock_memory_report_to { race in
      if let race { MemoryRaces.add(race.pointee) }
    }
    if let reason = interlock_memory_start() {
      announceOff(String(cString: reason))
      return
    }
    SectionTracking.announce("races in memory are looked for")
    atexit { MemoryRaces.end() }
  }

  private static func announceOff(_ reason: String) {
    SectionTracking.announce("races in memory are not looked for: \(reason)")
  }

  private static func add(_ race: interlock_memory_race) {
    let now = RaceSide(race.now)
    let before = RaceSide(race.before)
    // This package's own modules may be compiled with the same flag.
    let isOwn = [now, before].contains { side in
      side.frames.first?.file.flatMap(OwnCode.part(ofFile:)) != nil
    }
    if isOwn { return }
    let pair: Set = [now.place(beside: before), before.place(beside: now)]
    guard pairs.withLock({ $0.insert(pair).inserted }) else { return }
    let action = SectionTracking.onConflict
    if case .record = action { return }
    write(RaceText.lines(now, before))
    if case .trap = action { interlock_trap() }
  }

  private static func end() {
    let count = pairs.withLock { $0.count }
    guard count > 0 else { return }
    let races = count == 1 ? "1 race" : "\(count) races"
    write(["interlock: the exit code is \(SectionTracking.exitCode): \(races) in memory"])
    interlock_exit_from_handler(Int32(SectionTracking.exitCode))
  }

  private static func write(_ lines: [String]) {
    let text = lines.map { $0 + "\n" }.joined()
    text.utf8CString.withUnsafeBufferPointer { bytes in
      if let start = bytes.baseAddress { interlock_write_error(start, bytes.count - 1) }
    }
  }
}

/// Called before `main`, by `Sources/CInterlockMemory/start.c`.
@_cdecl("interlock_memory_start_from_environment")
func startMemoryChecks() { MemoryRaces.start() }
