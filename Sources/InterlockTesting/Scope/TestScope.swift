import Findings
import Foundation
import Interlock
import InterlockWatchdog
import Synchronization
import Testing

/// A test, or a `stress` within one. Conflicts and memory races of its tasks and threads become its
/// issues.
///
/// A conflict between two scopes goes to both. A conflict outside of any open scope goes to the
/// only open test. If several tests are open, it goes to the run.
final class TestScope: Sendable {
  /// The number of the calling task's scope; 0 for none.
  ///
  /// A number is cheap to read at each begin of a section: reading a reference would count it.
  @TaskLocal static var current: UInt = 0

  private enum Found {
    case conflict(ScopedConflict, secondHoldsLock: Bool)
    case race(MemoryRace)

    var headline: String {
      switch self {
      case .conflict(let conflict, _): conflict.headline
      case .race(let race): "interlock: race in memory: \(race.sentence)"
      }
    }
  }

  private struct State {
    var found: Set<ScopedConflict.Identity> = []
    /// The number of conflicts and memory races that the baseline does not know.
    var fresh = 0
    /// Findings that came from code without a test: recorded when the scope closes.
    var pending: [Found] = []
    /// The recorded findings, one line for each side.
    var sides: [[String]] = []
    var isClosed = false
  }

  let number: UInt
  /// Where the scope begins in the user's code.
  let location: SourceLocation
  /// The line added to each issue, which says how to repeat the run.
  private let note: String
  private let parent: UInt
  private let state = Locked(State())

  /// Opens a scope. If the calling task has a scope, the new one is nested in it.
  ///
  /// - Parameters:
  ///   - location: Where the scope begins in the user's code.
  ///   - note: The line to add to each issue.
  init(at location: SourceLocation, note: String = "") {
    OwnCode.register(OwnCode.interlockTesting)
    _ = Self.startOnce
    self.location = location
    self.note = note
    parent = Self.current
    number = Self.last.add(1, ordering: .relaxed).newValue
    if parent != 0 {
      let outermost = Self.outermost(of: parent)
      Self.inner.withLock { $0[number] = outermost }
    }
    Self.open.withLock { $0[number] = self }
    Self.forgetSections(of: number)
    MemoryRaceScopes.noteBegin()
  }

  /// Runs work within the scope, and closes the scope. The work's tasks and threads belong to it.
  func runBlocking(_ work: () -> Void) {
    Self.$current.withValue(number) {
      MemoryRaceScopes.noteChange()
      work()
    }
    MemoryRaceScopes.noteChange()
    close()
  }

  /// Like `runBlocking`, for asynchronous work.
  func run<Failure: Error>(_ work: () async throws(Failure) -> Void) async throws(Failure) {
    let result: Result<Void, Failure> = await Self.$current.withValue(number) {
      MemoryRaceScopes.noteChange()
      do throws(Failure) {
        return .success(try await work())
      } catch {
        return .failure(error)
      }
    }
    MemoryRaceScopes.noteChange()
    close()
    try result.get()
  }

  /// The number of conflicts and memory races so far that the baseline does not know.
  var conflictCount: Int {
    state.withLock { $0.fresh }
  }

  /// Records pending findings. Findings that come later go to another scope.
  func close() {
    if parent == 0 {
      Self.inner.withLock { inner in
        if !inner.isEmpty { inner = inner.filter { $0.value != number } }
      }
    }
    Self.open.withLock { _ = $0.removeValue(forKey: number) }
    let pending = state.withLock { state in
      state.isClosed = true
      defer { state.pending = [] }
      return state.pending
    }
    for found in pending { record(found) }
    MemoryRaceScopes.noteEnd(of: number)
  }

  /// Adds a conflict; returns true if the scope is still open.
  private func add(_ conflict: ScopedConflict) -> Bool {
    let (isOpen, isNew) = state.withLock { state in
      (!state.isClosed, !state.isClosed && state.found.insert(conflict.identity).inserted)
    }
    guard isNew else { return isOpen }
    let named = conflict.withThreadNames()
    let reason = ProcessBaseline.ofThisProcess?.reason(for: Finding(named.conflict))
    if reason == nil { state.withLock { $0.fresh += 1 } }
    add(
      .conflict(named, secondHoldsLock: HeldLocks.areHeldByCaller))
    return true
  }

  /// Adds a memory race that is new to the scope; returns true if the scope is still open.
  private func add(_ race: MemoryRace) -> Bool {
    let isOpen = state.withLock { state in
      if !state.isClosed { state.fresh += 1 }
      return !state.isClosed
    }
    if isOpen { add(.race(race)) }
    return isOpen
  }

  private func add(_ found: Found) {
    // Record at once in a task, thread or block of the test: a known issue's matcher only sees
    // issues recorded there, and the conflict may end the process.
    if InheritedScopes.ofCaller == number, Test.current != nil {
      record(found)
      return
    }
    FileHandle.standardError.write(Data((found.headline + "\n").utf8))
    let isPending = state.withLock { state in
      if !state.isClosed { state.pending.append(found) }
      return !state.isClosed
    }
    if !isPending { record(found) }
  }

  /// Both sides of the first recorded conflict or race, as in `read Store.swift:12`; empty if there
  /// is none.
  var firstSides: [String] { state.withLock { $0.sides.first ?? [] } }

  private func record(_ found: Found) {
    switch found {
    case .conflict(let scoped, let secondHoldsLock):
      let conflict = scoped.conflict
      noteSides(conflict.first.shortText, conflict.second.shortText)
      let issue = ConflictIssue(conflict, secondHoldsLock: secondHoldsLock, note: note)
      recordIssue(issue, else: location, knownBecause: noteForReports(issue.finding))
    case .race(let race):
      noteSides(race.first.shortText, race.second.shortText)
      let issue = ConflictIssue(race, module: location.moduleName, note: note)
      // The memory check itself adds the race to the reports of this process.
      IsolatedChannel.pass(issue.finding)
      recordIssue(issue, else: location)
    }
  }

  private func noteSides(_ first: String, _ second: String) {
    state.withLock { $0.sides.append([first, second]) }
  }

  // MARK: All scopes

  private static let last = Atomic<UInt>(0)
  private static let open = Locked<[UInt: TestScope]>([:])
  /// The outermost scope of each nested scope, until the outermost one closes.
  private static let inner = Locked<[UInt: UInt]>([:])

  /// The outermost scope around a scope; the scope itself if it is not nested.
  static func outermost(of number: UInt) -> UInt { inner.withLock { $0[number] } ?? number }

  /// The conflicts recorded for the run.
  private static let known = Locked<Set<ScopedConflict.Identity>>([])

  private static let startOnce: Void = {
    InheritedScopes.start()
    ConflictScopes.start(source: { ofCaller }) { receive($0) }
    // Initialise `current` here. The source reads it during memory accesses, possibly in an access
    // of the initializer itself.
    _ = current
    MemoryRaceScopes.start(RaceAttribution())
  }()

  /// The scope of the calling task or thread. Marks the scope as one with sections.
  private static var ofCaller: UInt {
    let number = InheritedScopes.ofCaller
    let bit = bit(of: number)
    // Relaxed: the bit orders nothing. Test it first, so that callers do not contend for the word.
    if withSections.load(ordering: .relaxed) & bit == 0 {
      withSections.bitwiseOr(bit, ordering: .relaxed)
    }
    return number
  }

  /// One bit for each number modulo 64: a scope with such a number has begun a section.
  private static let withSections = Atomic<UInt>(0)

  private static func bit(of number: UInt) -> UInt { 1 << (number & 63) }

  private static func forgetSections(of number: UInt) {
    withSections.bitwiseAnd(~bit(of: number), ordering: .relaxed)
  }

  /// True if a section began in the scope, or in one whose number is equal modulo 64.
  var hasSections: Bool { Self.withSections.load(ordering: .relaxed) & Self.bit(of: number) != 0 }

  /// The open scopes to which a finding with two sides belongs.
  private static func owners(
    _ first: UInt, _ second: UInt
  ) -> (scopes: [TestScope], isOfRun: Bool, isOnlyOne: Bool) {
    let open = open.withLock { $0 }
    // Both sides may belong to open scopes: then both scopes get the finding.
    let ofSides = Set([first, second]).compactMap { open[$0] }
    if !ofSides.isEmpty { return (ofSides, false, false) }
    // Prefer the innermost scope: a stress rather than the test around it.
    let parents = Set(open.values.map(\.parent))
    let innermost = open.values.filter { !parents.contains($0.number) }
    if innermost.count == 1 { return (innermost, false, true) }
    // The finding belongs to the run, also if it comes from a thread that a test has left behind:
    // such a finding does not end the process either.
    return ([], !open.isEmpty || first != 0 || second != 0, false)
  }

  private static let ofRun =
    "  (of the run: several tests were running, and neither side shows which it is of)"

  /// Assigns memory races to scopes.
  private final class RaceAttribution: MemoryRaceScopes.Attribution {
    var ofCaller: UInt { InheritedScopes.ofCaller }

    func owners(_ first: UInt, _ second: UInt) -> MemoryRaceScopes.Owners {
      let owners = TestScope.owners(first, second)
      return .init(
        Set(owners.scopes.map(\.number)), isOfRun: owners.isOfRun, isOnlyOne: owners.isOnlyOne)
    }

    func receive(_ scoped: MemoryRaceScopes.Race) -> Bool {
      let open = TestScope.open.withLock { $0 }
      let scopes = scoped.owners.scopes.compactMap { open[$0] }
      // Not lazy: every scope must get the race.
      if scopes.map({ $0.add(scoped.race) }).contains(true) { return true }
      // The run also gets races whose scopes have closed since.
      guard scoped.owners.isOfRun || !scoped.owners.scopes.isEmpty else { return false }
      recordIssue(ConflictIssue(scoped.race, module: nil, note: ofRun), else: nil)
      return true
    }
  }

  private static func receive(_ conflict: ScopedConflict) -> Bool {
    let owners = owners(conflict.firstScope, conflict.secondScope)
    // Not lazy: every scope must get the conflict.
    if owners.scopes.map({ $0.add(conflict) }).contains(true) { return true }
    guard owners.isOfRun || !owners.scopes.isEmpty else { return false }
    guard known.withLock({ $0.insert(conflict.identity).inserted }) else { return true }
    let named = conflict.withThreadNames().conflict
    let issue = ConflictIssue(
      named, secondHoldsLock: HeldLocks.areHeldByCaller, note: ofRun)
    recordIssue(issue, else: nil, knownBecause: noteForReports(issue.finding))
    return true
  }
}
