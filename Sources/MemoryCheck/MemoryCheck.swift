internal import CInterlockMemory
internal import Foundation
package import Interlock
internal import ProcessInspection
internal import Synchronization

/// The memory check of this process.
package enum MemoryCheck {
  /// The code of this executable that can be checked.
  package enum Support: Sendable, Hashable {
    /// The executable was built with the compiler's option.
    case everywhere
    /// Only code of targets that always set the option.
    case partial
    /// No code can be checked, for this reason.
    case unavailable(reason: String)
  }

  /// The command line option that enables the check in every module.
  package static let option = "-Xswiftc -Xfrontend -Xswiftc -sanitize=thread"

  /// The code that can be checked. Read it before the check starts.
  package static var support: Support {
    // This module has the same options as the user's modules, so its own code shows them.
    if let gap = ProcessorSupport.gap { return .unavailable(reason: gap) }
    if interlock_memory_is_instrumented_function({ $0?.pointee = 1 }) { return .everywhere }
    if let blindness = InterposedCalls.blindness { return .unavailable(reason: blindness) }
    return interlock_memory_is_instrumented() ? .partial : .unavailable(reason: notCompiled)
  }

  private static let notCompiled =
    "no code of this process is compiled with '-Xfrontend -sanitize=thread'"

  /// Receives a race on the thread that makes the second access, or that ends the process, once for
  /// each pair of places and scope. An undecided race has no scope.
  package typealias Receiver = @Sendable (MemoryRaceScopes.Race) -> Void
  /// Returns true if a race is known; a known race does not fail an explored execution.
  package typealias KnownRaces = @Sendable (MemoryRace) -> Bool

  private static let functions = Mutex<(receive: Receiver, isKnown: KnownRaces)?>(nil)
  /// The races in this package's own code.
  private static let ownSites = Mutex<Set<KnownMemoryRaces.Sites>>([])

  /// Checks every access of instrumented code from now on.
  ///
  /// - Parameters:
  ///   - receive: Receives the races, except those in this package's own code and those in
  ///     explored executions. The latter fail the execution.
  ///   - isKnown: Called for races in explored executions.
  /// - Returns: Why memory cannot be checked; `nil` if it is checked.
  package static func start(
    _ receive: @escaping Receiver, isKnown: @escaping KnownRaces = { _ in false }
  ) -> String? {
    if let gap = ProcessorSupport.gap { return gap }
    // Test this first: with ThreadSanitizer's runtime, code does not call the functions tested
    // below.
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

  /// Why the check has stopped; `nil` while it runs.
  package static var blindness: String? {
    interlock_memory_blindness().map { String(cString: $0) }
  }

  /// Waits until the races found so far are reported, at most 60 s. Call it at the end of the
  /// process.
  package static func finish() { interlock_memory_await_reports() }

  /// The number of accesses that were compared with those of other threads. An access repeated
  /// without synchronisation in between counts once.
  package static var comparedAccesses: UInt64 { interlock_memory_compared() }

  /// The Swift modules of this executable compiled with the option, sorted, without this package's
  /// own.
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

  /// True if a module is a library loaded beside the executable. Code that the compiler copies from
  /// the library into user modules bears its name.
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
    // Compare call sites first, then lines, then names: each step takes longer than the previous
    // one.
    guard let owners = MemoryRaceScopes.isNew(sites, for: all) else { return }
    let race = MemoryRace(found)
    if isOwn(race, at: sites) { return }
    guard var owners = MemoryRaceScopes.isNew(race, for: owners) else { return }
    let named = race.withNames()
    if named.places != race.places {
      // The lines may show that the race is known.
      guard let remaining = MemoryRaceScopes.isNew(named, for: owners) else { return }
      owners = remaining
    }
    functions.withLock { $0?.receive }?(MemoryRaceScopes.Race(named, of: owners))
  }

  /// Passes an undecided race on without a scope. A scope takes each pair of places once, and a
  /// later race of this pair may be decided.
  private static func addUndecided(
    _ found: interlock_memory_race, at sites: KnownMemoryRaces.Sites, because plainCode: [String]
  ) {
    let race = MemoryRace(found)
    if isOwn(race, at: sites) { return }
    var named = race.withNames()
    named.plainCode = plainCode
    functions.withLock { $0?.receive }?(MemoryRaceScopes.Race(named, of: .init([])))
  }

  /// Fails the explored execution of the calling thread. If the execution continues, a later
  /// failure shows the race.
  private static func addToExecution(
    _ found: interlock_memory_race, at sites: KnownMemoryRaces.Sites
  ) {
    ExploredRaces.add(at: sites, isFailure: !found.is_at_points) {
      let race = MemoryRace(found)
      if isOwn(race, at: sites) { return nil }
      let named = race.withNames()
      let isKnown = functions.withLock { $0?.isKnown }?(named) ?? false
      return ExploredMemoryRace(isFailure: !isKnown, variable: named.variable)
    } describe: { variable in
      MemoryRace(found).withLines(variable: variable)
    }
  }

  /// True for a race in this package: its modules may be compiled with the same option.
  private static func isOwn(_ race: MemoryRace, at sites: KnownMemoryRaces.Sites) -> Bool {
    // The compiler shares code between modules: then only the callers show whose code it is.
    let isShown = [race.first, race.second].contains { $0.stack.first?.ownPart != nil }
    if isShown { ownSites.withLock { _ = $0.insert(sites) } }
    return race.isOwn
  }

  private static func site(of side: interlock_memory_side) -> UInt {
    side.frame_count > 0 ? side.frames.0 : 0
  }
}
