import Findings
import Foundation
import Interlock
import InterlockWatchdog
import Synchronization
import Testing

/// A test, or a `stress` in one, which gets the conflicts of its tasks and threads as issues, and
/// their races in memory.
///
/// A conflict between two scopes goes to both. One whose sides belong to no open scope goes to the
/// only test that is open; if several are, to the run.
final class TestScope: Sendable {
  /// The number of the scope of the calling task; 0 for none.
  ///
  /// A number, because every begin of a section reads it: a reference would be counted there.
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
    /// How many of these, and of the races in memory, the baseline does not know.
    var fresh = 0
    /// Found where no test can be told from the task: recorded at the end.
    var pending: [Found] = []
    /// The recorded ones: each side in a line.
    var sides: [[String]] = []
    var isClosed = false
  }

  let number: UInt
  /// Where the scope begins, in the user's code.
  let location: SourceLocation
  /// Added to each issue: how to repeat the run.
  private let note: String
  private let parent: UInt
  private let state = Locked(State())

  /// Opens a scope within that of the calling task, if there is one.
  ///
  /// - Parameters:
  ///   - location: Where it begins, in the user's code.
  ///   - note: Added to each issue.
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

  /// Runs work, whose tasks and threads belong to the scope, and closes the scope.
  func runBlocking(_ work: () -> Void) {
    Self.$current.withValue(number) {
      MemoryRaceScopes.noteChange()
      work()
    }
    MemoryRaceScopes.noteChange()
    close()
  }

  /// As `runBlocking`, for asynchronous work.
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

  /// The number of conflicts and races in memory so far that the baseline does not know.
  var conflictCount: Int {
    state.withLock { $0.fresh }
  }

  /// Records the conflicts that are not recorded yet. Later ones go to another scope.
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

  /// Takes a conflict; returns whether the scope is still open.
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

  /// Takes a race in memory that is new to it; returns whether the scope is still open.
  private func add(_ race: MemoryRace) -> Bool {
    let isOpen = state.withLock { state in
      if !state.isClosed { state.fresh += 1 }
      return !state.isClosed
    }
    if isOpen { add(.race(race)) }
    return isOpen
  }

  private func add(_ found: Found) {
    // In a task, thread or block of the test, so that a known issue's matcher sees it; and at once,
    // because the conflict may end the process.
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

  /// Both sides of the first recorded conflict or race, as in `read Store.swift:12`; empty for
  /// none.
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
      // The check of memory adds it to the reports of this process.
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
  /// The outermost scopes of those that are within others, up to the end of the outermost.
  private static let inner = Locked<[UInt: UInt]>([:])

  /// The scope of the test that a scope is in; the scope itself if it is in none.
  static func outermost(of number: UInt) -> UInt { inner.withLock { $0[number] } ?? number }

  /// The conflicts of the run.
  private static let known = Locked<Set<ScopedConflict.Identity>>([])

  private static let startOnce: Void = {
    InheritedScopes.start()
    ConflictScopes.start(source: { ofCaller }) { receive($0) }
    // Its global is made here: the source must not make it, since an access in its initializer may
    // ask for the scope.
    _ = current
    MemoryRaceScopes.start(RaceAttribution())
  }()

  /// The scope of the calling task or thread; notes that it has begun a section.
  private static var ofCaller: UInt {
    let number = InheritedScopes.ofCaller
    let bit = bit(of: number)
    // Relaxed: a note, which orders nothing. Written once, so that callers do not contend for it.
    if withSections.load(ordering: .relaxed) & bit == 0 {
      withSections.bitwiseOr(bit, ordering: .relaxed)
    }
    return number
  }

  /// A bit for each of 64 scopes that has begun a section.
  private static let withSections = Atomic<UInt>(0)

  private static func bit(of number: UInt) -> UInt { 1 << (number & 63) }

  private static func forgetSections(of number: UInt) {
    withSections.bitwiseAnd(~bit(of: number), ordering: .relaxed)
  }

  /// Whether a section was begun in the scope, or in another whose number ends as this one's.
  var hasSections: Bool { Self.withSections.load(ordering: .relaxed) & Self.bit(of: number) != 0 }

  /// The open scopes that a finding of two sides belongs to.
  private static func owners(
    _ first: UInt, _ second: UInt
  ) -> (scopes: [TestScope], isOfRun: Bool, isOnlyOne: Bool) {
    let open = open.withLock { $0 }
    // Two tests both get it.
    let ofSides = Set([first, second]).compactMap { open[$0] }
    if !ofSides.isEmpty { return (ofSides, false, false) }
    // The innermost scopes: a stress, rather than the test that it is in.
    let parents = Set(open.values.map(\.parent))
    let innermost = open.values.filter { !parents.contains($0.number) }
    if innermost.count == 1 { return (innermost, false, true) }
    // A thread that a test has left behind does not end the process either.
    return ([], !open.isEmpty || first != 0 || second != 0, false)
  }

  private static let ofRun =
    "  (of the run: several tests were running, and neither side shows which it is of)"

  /// Attributes races in memory.
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
      // Not lazily: two tests both get it.
      if scopes.map({ $0.add(scoped.race) }).contains(true) { return true }
      // Also if its scopes have ended since.
      guard scoped.owners.isOfRun || !scoped.owners.scopes.isEmpty else { return false }
      recordIssue(ConflictIssue(scoped.race, module: nil, note: ofRun), else: nil)
      return true
    }
  }

  private static func receive(_ conflict: ScopedConflict) -> Bool {
    let owners = owners(conflict.firstScope, conflict.secondScope)
    // Not lazily: two tests both get it.
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
