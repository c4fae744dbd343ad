import Foundation
import Interlock
import Synchronization
import Testing

/// A test, or a `stress` in one, which gets the conflicts of its tasks and threads as issues.
///
/// A conflict between two scopes goes to both. One whose sides belong to no open scope goes to the
/// only test that is open; if several are, to the run.
final class TestScope: Sendable {
  /// The number of the scope of the calling task; 0 for none.
  ///
  /// A number, because every begin of a section reads it: a reference would be counted there.
  @TaskLocal static var current: UInt = 0

  private struct Found {
    var conflict: ScopedConflict
    /// Whether the second side's thread held a lock.
    var holdsLock: Bool
  }

  private struct State {
    var known: Set<ScopedConflict.Identity> = []
    /// Found where no test can be told from the task: recorded at the end.
    var pending: [Found] = []
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
  init(at location: SourceLocation, note: String = "") {
    OwnCode.register(OwnCode.interlockTesting)
    _ = Self.startOnce
    self.location = location
    self.note = note
    parent = Self.current
    number = Self.last.add(1, ordering: .relaxed).newValue
    Self.open.withLock { $0[number] = self }
    Self.forgetSections(of: number)
  }

  /// Runs work, whose tasks and threads belong to the scope, and closes the scope.
  func runBlocking(_ work: () -> Void) {
    Self.$current.withValue(number, operation: work)
    close()
  }

  /// As `runBlocking`, for asynchronous work.
  func run<Failure: Error>(_ work: () async throws(Failure) -> Void) async throws(Failure) {
    let result: Result<Void, Failure> = await Self.$current.withValue(number) {
      do throws(Failure) {
        return .success(try await work())
      } catch {
        return .failure(error)
      }
    }
    close()
    try result.get()
  }

  /// The number of conflicts so far.
  var conflictCount: Int { state.withLock { $0.known.count } }

  /// Records the conflicts that are not recorded yet. Later ones go to another scope.
  func close() {
    Self.open.withLock { _ = $0.removeValue(forKey: number) }
    let pending = state.withLock { state in
      state.isClosed = true
      defer { state.pending = [] }
      return state.pending
    }
    for found in pending { record(found) }
  }

  /// Takes a conflict; returns whether the scope is still open.
  private func add(_ conflict: ScopedConflict) -> Bool {
    let (isOpen, isNew) = state.withLock { state in
      (!state.isClosed, !state.isClosed && state.known.insert(conflict.identity).inserted)
    }
    guard isNew else { return isOpen }
    let found = Found(
      conflict: conflict.withThreadNames(), holdsLock: HeldLocks.areHeldByCaller)
    // In the test's own task, so that a known issue's matcher sees it; and at once, because the
    // conflict may end the process.
    if Self.current == number, Test.current != nil {
      record(found)
      return true
    }
    FileHandle.standardError.write(Data((conflict.headline + "\n").utf8))
    let isPending = state.withLock { state in
      if !state.isClosed { state.pending.append(found) }
      return !state.isClosed
    }
    if !isPending { record(found) }
    return true
  }

  private func record(_ found: Found) {
    recordIssue(
      ConflictIssue(found.conflict.conflict, secondHoldsLock: found.holdsLock, note: note),
      else: location)
  }

  // MARK: All scopes

  private static let last = Atomic<UInt>(0)
  private static let open = Locked<[UInt: TestScope]>([:])
  /// The conflicts of the run.
  private static let known = Locked<Set<ScopedConflict.Identity>>([])

  private static let startOnce: Void = {
    InheritedScopes.start()
    ConflictScopes.start(source: { ofCaller }) { receive($0) }
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

  private static func receive(_ conflict: ScopedConflict) -> Bool {
    let open = open.withLock { $0 }
    let ofSides = Set([conflict.firstScope, conflict.secondScope]).compactMap { open[$0] }
    if ofSides.contains(where: { $0.add(conflict) }) {
      for scope in ofSides.dropFirst() { _ = scope.add(conflict) }
      return true
    }
    // The innermost scopes: a stress, rather than the test that it is in.
    let parents = Set(open.values.map(\.parent))
    let innermost = open.values.filter { !parents.contains($0.number) }
    if innermost.count == 1, innermost[0].add(conflict) { return true }
    // A thread that a test has left behind does not end the process either.
    guard !open.isEmpty || conflict.firstScope != 0 || conflict.secondScope != 0 else {
      return false
    }
    guard known.withLock({ $0.insert(conflict.identity).inserted }) else { return true }
    let issue = ConflictIssue(
      conflict.withThreadNames().conflict, secondHoldsLock: HeldLocks.areHeldByCaller,
      note: "  (of the run: several tests were running, and neither side shows which it is of)")
    recordIssue(issue, else: nil)
    return true
  }
}
