internal import CMarks
internal import CInterlockMemory
internal import Findings
internal import Foundation
internal import Interlock
internal import MemoryCheck

/// Checks the memory of a process that links this product. A race is reported to its test or its
/// exploration; `on_conflict=` of `INTERLOCK_OPTIONS` decides about any other race, as for
/// sections: `trap` ends the process at the first race, `log` reports each pair of places once,
/// `record` only counts the races.
enum ProcessCheck {
  /// Starts the check, and announces that it runs, or why it does not.
  static func start() {
    // In the child of a trial, the runner decides whether memory is checked.
    guard getenv("INTERLOCK_TRIAL") == nil else { return }
    let options = MemoryOptions.ofThisProcess
    if !options.isOn {
      let calls = interlock_memory_leave_out()
      let leftOut = calls > 0 ? "; \(calls.formatted()) calls of the check are left out" : ""
      announceOff("'memory=off'" + leftOut)
      return
    }
    // Read before the program can change its folder.
    _ = ProcessBaseline.ofThisProcess
    if let reason = MemoryCheck.start({ add($0) }, isKnown: { isKnown($0) }) {
      announceOff(reason)
      return
    }
    // If an access during the start found no memory for its shadow, a line has already said so.
    if MemoryCheck.blindness == nil { SectionTracking.announce("races in memory are looked for") }
    atexit { ProcessCheck.end() }
  }

  private static func announceOff(_ reason: String) {
    SectionTracking.announce("races in memory are not looked for: \(reason)")
  }

  private static func add(_ scoped: MemoryRaceScopes.Race) {
    let race = scoped.race
    if isKnown(race) { return }
    if !race.isDecided { return addUndecided(race) }
    let isIssue = MemoryRaceScopes.receive(scoped)
    MemoryRaceLog.add(.init(race, isIssue: isIssue))
    if isIssue { return }
    let action = SectionTracking.onConflict
    if case .record = action { return }
    write([race.description])
    if case .trap = action {
      SectionTracking.runBeforeTrap()
      interlock_trap()
    }
  }

  /// Reports an undecided race, once: the race fails neither the process nor a test.
  private static func addUndecided(_ race: MemoryRace) {
    let isNew = MemoryRaceLog.add(.init(race))
    if case .record = SectionTracking.onConflict { return }
    if isNew { write([race.description]) }
  }

  /// Whether the baseline knows a race. Also records a known race, and reports it once.
  private static func isKnown(_ race: MemoryRace) -> Bool {
    guard let because = ProcessBaseline.ofThisProcess?.reason(for: Finding(race)) else {
      return false
    }
    let isNew = MemoryRaceLog.add(.init(race, knownBecause: because))
    if case .record = SectionTracking.onConflict { return true }
    if isNew { write(["interlock: race in memory, known (\(because)): \(race.sentence)"]) }
    return true
  }

  private static func end() {
    MemoryCheck.finish()
    if let lines = ProcessBaseline.ofThisProcess?.linesAtEnd() { write(lines) }
    if MemoryRaceLog.entries.isEmpty, MemoryCheck.blindness == nil { announceNone() }
    let count = MemoryRaceLog.entries.filter(\.isUnhandled).count
    guard count > 0 else { return }
    let races = count == 1 ? "1 race" : "\(count) races"
    write(["interlock: the exit code is \(SectionTracking.exitCode): \(races) in memory"])
    interlock_exit_from_handler(Int32(SectionTracking.exitCode))
  }

  /// Interlock's modules, which are not the user's code. `OwnCode` learns of a module only when
  /// that module starts, so those that may not have started are listed here.
  private static let own: Set<String> = [
    "Explorer", "Findings", "HangReports", "Hangs", "InterlockMemory", "InterlockTesting",
    "InterlockWatchdog", "Prediction",
  ]

  /// Announces at the end of a process without a race how much was checked.
  private static func announceNone() {
    let count = MemoryCheck.comparedAccesses
    let modules = MemoryCheck.checkedModules.filter {
      // Leave out the modules that the package manager generates.
      !own.contains($0) && !$0.hasSuffix("PackageTests") && !$0.hasSuffix("PackageDiscoveredTests")
    }
    guard count > 0 else {
      return SectionTracking.announce("no race in memory: no access was checked")
    }
    let place = MemoryRaceLog.hasExplored ? " outside of the explorations" : ""
    SectionTracking.announce(
      "no race in memory\(place) in \(count.formatted()) accesses of \(list(modules));"
        + " one that a thread repeats before it synchronises counts once")
  }

  /// The names of modules, those of tests first: only modules after the eighth are merely counted.
  private static func list(_ modules: [String]) -> String {
    let most = 8
    let tests = modules.filter { $0.hasSuffix("Tests") }
    let ordered = tests + modules.filter { !$0.hasSuffix("Tests") }
    let shown = ordered.prefix(most).joined(separator: ", ")
    switch modules.count {
    case 0: return "C code"
    case 1: return "the module \(shown)"
    case ...most: return "the modules \(shown)"
    default: return "the modules \(shown) and \(modules.count - most) more"
    }
  }

  /// Writes lines without a buffer that a trap would lose.
  static func write(_ lines: [String]) {
    let text = lines.map { $0 + "\n" }.joined()
    text.utf8CString.withUnsafeBufferPointer { bytes in
      if let start = bytes.baseAddress { interlock_write_error(start, bytes.count - 1) }
    }
  }
}

/// Called before `main`, by `Sources/CInterlockMemory/start.c`.
@_cdecl("interlock_memory_start_from_environment")
func startMemoryChecks() { ProcessCheck.start() }
