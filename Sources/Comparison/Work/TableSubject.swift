import Interlock
import LockStrategies
import StressRunner
import Synchronization

/// A locked table with marked sections, which the correctness pass runs as a subject.
///
/// The subject's final state has the table's own checks, which also work in builds without
/// sections.
final class TableSubject<Strategy: Lock>: Subject {
  private let lock: Strategy
  private let table: SharedTable
  private let counts = TableCounts()
  private let section = Section("compare.table")

  init(_ lock: Strategy, _ table: SharedTable) {
    self.lock = lock
    self.table = table
  }

  func supports(_ kind: Operation.Kind) -> Bool { kind == .get || kind == .set }

  func perform(_ operation: Operation, completion: @escaping @Sendable (Reply) -> Void) {
    let key = tableKey(operation, below: table.keys)
    if operation.kind == .set {
      lock.withLock { section.write(synched: true) { table.write(key) } }
      counts.wrote()
      completion(.done)
    } else {
      let isWhole = lock.withSharedLock { section.read(synched: true) { table.read(key) } }
      if !isWhole { counts.sawBroken() }
      completion(.value(nil))
    }
  }

  func finalState() -> FinalState? { counts.state(of: table) }
}

/// A table that an actor owns, as a subject.
final class ActorTableSubject: Subject {
  private actor Owner {
    private let table: SharedTable
    private let section = Section("compare.table")

    init(_ table: SharedTable) { self.table = table }

    func read(_ key: Int) -> Bool { section.read(synched: true) { table.read(key) } }
    func write(_ key: Int) { section.write(synched: true) { table.write(key) } }
  }

  private let table: SharedTable
  private let owner: Owner
  private let counts = TableCounts()

  init(_ table: SharedTable) {
    self.table = table
    owner = Owner(table)
  }

  func supports(_ kind: Operation.Kind) -> Bool { kind == .get || kind == .set }

  func perform(_ operation: Operation) async -> Reply {
    let key = tableKey(operation, below: table.keys)
    if operation.kind == .set {
      await owner.write(key)
      counts.wrote()
      return .done
    }
    if await !owner.read(key) { counts.sawBroken() }
    return .value(nil)
  }

  func perform(_ operation: Operation, completion: @escaping @Sendable (Reply) -> Void) {
    Task { completion(await perform(operation)) }
  }

  func finalState() -> FinalState? { counts.state(of: table) }
}

/// The calls made on a table. Relaxed: read only after all calls have completed.
private final class TableCounts: Sendable {
  private let writes = Atomic(0)
  private let broken = Atomic(0)

  func wrote() { writes.wrappingAdd(1, ordering: .relaxed) }
  func sawBroken() { broken.wrappingAdd(1, ordering: .relaxed) }

  func state(of table: SharedTable) -> FinalState {
    let written = writes.load(ordering: .relaxed)
    var state = FinalState(count: 0, entries: [:])
    state.totals = [
      .init(
        "the number of writes in the table", claimed: written - table.lost(of: written),
        counted: written),
      .init(
        "the number of reads that overlapped a write", claimed: broken.load(ordering: .relaxed),
        counted: 0),
    ]
    return state
  }
}

/// `key-12` is 12.
private func tableKey(_ operation: Operation, below keys: Int) -> Int {
  (Int(operation.key.dropFirst(4)) ?? 0) % keys
}
