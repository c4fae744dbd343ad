internal import CInterlockMemory
internal import Foundation
package import Interlock
internal import ProcessInspection
internal import Synchronization

/// The check of memory in this process.
package enum MemoryCheck {
  /// Which code of this executable can be checked.
  package enum Support: Sendable, Hashable {
    /// The executable was built with the compiler's option.
    case everywhere
    /// Only code whose target has the option always.
    case partial
    /// None, for this reason.
    case unavailable(reason: String)
  }

  /// The option of the command line that has every module checked.
  package static let option = "-Xswiftc -Xfrontend -Xswiftc -sanitize=thread"

  /// What can be checked. Read it before the check starts.
  package static var support: Support {
    // This module is built with the options that the user's modules are built with.
    if let gap = ProcessorSupport.gap { return .unavailable(reason: gap) }
    if interlock_memory_is_instrumented_function({ $0?.pointee = 1 }) { return .everywhere }
    if let blindness = InterposedCalls.blindness { return .unavailable(reason: blindness) }
    return interlock_memory_is_instrumented() ? .partial : .unavailable(reason: notCompiled)
  }

  private static let notCompiled =
    "no code of this process is compiled with '-Xfrontend -sanitize=thread'"

  /// Receives a race, once for each pair of places and scope, on the thread that makes the second
  /// access. A race that is not decided has no scope.
  package typealias Receiver = @Sendable (MemoryRaceScopes.Race) -> Void
  /// Whether a race is known, so that it does not fail an explored execution.
  package typealias KnownRaces = @Sendable (MemoryRace) -> Bool

  private static let functions = Mutex<(receive: Receiver, isKnown: KnownRaces)?>(nil)
  /// Those of this package's own code.
  private static let ownSites = Mutex<Set<KnownMemoryRaces.Sites>>([])

  /// Checks every access of instrumented code from now on.
  ///
  /// - Parameters:
  ///   - receive: Receives the races, except those of this package's own code, and those of
  ///     explored executions, which fail by them.
  ///   - isKnown: Called for the latter.
  /// - Returns: Why it cannot; `nil` if it does.
  package static func start(
    _ receive: @escaping Receiver, isKnown: @escaping KnownRaces = { _ in false }
  ) -> String? {
    if let gap = ProcessorSupport.gap { return gap }
    // Before the next: with ThreadSanitizer's runtime no code calls these functions.
    if let blindness = InterposedCalls.blindness { return blindness }
    guard interlock_memory_is_instrumented() else { return notCompiled }
    OwnCode.register(OwnCode.memoryCheck)
    functions.withLock { $0 = (receive, isKnown) }
    interlock_memory_report_to { race in
      if let race { MemoryCheck.add(race.pointee) }
    }
    interlock_memory_scope_from { UInt64(MemoryRaceScopes.ofCaller) }
    MemoryRaceScopes.onChange {
      interlock_memory_scope_changes()
    } begun: {
      interlock_memory_scope_begins()
    }
    if let problem = interlock_memory_start() { return String(cString: problem) }
    MemoryRaceLog.isFed = true
    return nil
  }

  /// Why nothing is checked from some event on; `nil` while it is.
  package static var blindness: String? {
    interlock_memory_blindness().map { String(cString: $0) }
  }

  /// Returns when the races that threads have found are reported, after 60 s at most: for the end
  /// of the process.
  package static func finish() { interlock_memory_await_reports() }

  /// How many accesses were compared with those of other threads. One that a thread repeats before
  /// it synchronises counts once.
  package static var comparedAccesses: UInt64 { interlock_memory_compared() }

  /// The Swift modules of this executable that are compiled with the option, sorted, without this
  /// package's own.
  package static var checkedModules: [String] {
    let list = ModuleList()
    interlock_memory_visit_modules(
      { context, name, length in
        guard let context, let name else { return }
        let bytes = UnsafeRawBufferPointer(start: name, count: length)
        Unmanaged<ModuleList>.fromOpaque(context).takeUnretainedValue().names
          .append(String(decoding: bytes, as: UTF8.self))
      }, Unmanaged.passUnretained(list).toOpaque())
    return list.names.filter { OwnCode.part(ofModule: $0) == nil && !isLibrary($0) }.sorted()
  }

  /// Whether a module is a library that is loaded beside the executable: code that the compiler
  /// copied from it into the user's modules bears its name.
  private static func isLibrary(_ module: String) -> Bool {
    ["lib\(module).so", "libswift\(module).so"].contains { name in
      guard let handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD) else { return false }
      dlclose(handle)
      return true
    }
  }

  private final class ModuleList {
    var names: [String] = []
  }

  private static func add(_ found: interlock_memory_race) {
    let sites = KnownMemoryRaces.Sites(site(of: found.now), site(of: found.before))
    if ownSites.withLock({ $0.contains(sites) }) { return }
    if SectionTracking.isExplored { return addToExecution(found, at: sites) }
    let plainCode = PlainCode.files(ordering: found)
    if !plainCode.isEmpty { return addUndecided(found, at: sites, because: plainCode) }
    let all = MemoryRaceScopes.owners(UInt(found.before.scope), UInt(found.now.scope))
    // By the call sites first, then by the lines, since each step takes longer than the one before.
    guard let owners = MemoryRaceScopes.isNew(sites, for: all) else { return }
    let race = MemoryRace(found)
    if isOwn(race, at: sites) { return }
    guard var owners = MemoryRaceScopes.isNew(race, for: owners) else { return }
    let named = race.withNames()
    if named.places != race.places {
      // Its lines may show that it is known.
      guard let remaining = MemoryRaceScopes.isNew(named, for: owners) else { return }
      owners = remaining
    }
    functions.withLock { $0?.receive }?(MemoryRaceScopes.Race(named, of: owners))
  }

  /// Not as a race of a scope, which has each pair of places once: a later race may be decided.
  private static func addUndecided(
    _ found: interlock_memory_race, at sites: KnownMemoryRaces.Sites, because plainCode: [String]
  ) {
    let race = MemoryRace(found)
    if isOwn(race, at: sites) { return }
    var named = race.withNames()
    named.plainCode = plainCode
    functions.withLock { $0?.receive }?(MemoryRaceScopes.Race(named, of: .init([])))
  }

  /// Fails the explored execution that the calling thread belongs to, or shows the race beside the
  /// failure of one that continues.
  private static func addToExecution(
    _ found: interlock_memory_race, at sites: KnownMemoryRaces.Sites
  ) {
    SectionTracking.addExploredRace(at: sites, isFailure: !found.is_at_points) {
      let race = MemoryRace(found)
      if isOwn(race, at: sites) { return nil }
      let named = race.withNames()
      let isKnown = functions.withLock { $0?.isKnown }?(named) ?? false
      return ExploredMemoryRace(isFailure: !isKnown, variable: named.variable)
    } describe: { variable in
      MemoryRace(found).withLines(variable: variable)
    }
  }

  /// This package's own modules may be compiled with the same option.
  private static func isOwn(_ race: MemoryRace, at sites: KnownMemoryRaces.Sites) -> Bool {
    // Of code that the compiler shares between modules, only the callers show whose it is.
    let isShown = [race.first, race.second].contains { $0.stack.first?.ownPart != nil }
    if isShown { ownSites.withLock { _ = $0.insert(sites) } }
    return race.isOwn
  }

  private static func site(of side: interlock_memory_side) -> UInt {
    side.frame_count > 0 ? side.frames.0 : 0
  }
}
