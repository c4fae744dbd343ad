package import StressRunner
import Dispatch
import Synchronization

/// A subject of one's own, called as trials call it.
package final class SubjectWork: SynchronousWork {
  private let subject: any Subject
  private let operations: [[Operation]]
  private let lengths: [Int]

  /// Calls a subject in which every key has been stored.
  package init(_ subject: any Subject, _ data: CacheData) {
    self.subject = subject
    operations = Self.operations(data)
    lengths = data.values.map(\.count)
    for operation in operations[CacheCall.set.rawValue] { _ = perform(operation) }
  }

  /// Makes some calls; one that completes later is waited for.
  package func perform(_ calls: CallRing, _ range: Range<Int>) -> Tally {
    var tally = Tally()
    for index in range {
      let call = calls[index]
      if call.isWrite { tally.writes &+= 1 }
      if case .value(let found?) = perform(operations[call.kind][call.key]),
        found.count != lengths[call.key]
      {
        tally.broken &+= 1
      }
    }
    return tally
  }

  /// Nothing can be told.
  package func lost(of writes: Int) -> Int { 0 }

  private func perform(_ operation: Operation) -> Reply {
    let completion = Completion()
    subject.perform(operation) { completion.complete($0) }
    return completion.wait()
  }

  /// Each kind's operations, by the raw value of `CacheCall`; a key's at its number.
  static func operations(_ data: CacheData) -> [[Operation]] {
    let kinds: [CacheCall] = [.get, .set, .remove, .removeAll, .count]
    return kinds.map { call in
      zip(data.keys, data.values).map { key, value in
        call == .set
          ? Operation(kind: .set, key: key, value: value, cost: value.count)
          : Operation(kind: call.kind, key: key)
      }
    }
  }
}

/// A subject that is called from tasks: each call is awaited.
package final class AwaitedSubjectWork: AsynchronousWork {
  private let subject: any Subject
  private let operations: [[Operation]]
  private let lengths: [Int]

  /// Calls a subject in which every key has been stored.
  package init(_ subject: any Subject, _ data: CacheData) {
    self.subject = subject
    let operations = SubjectWork.operations(data)
    self.operations = operations
    lengths = data.values.map(\.count)
    Comparison.wait {
      for operation in operations[CacheCall.set.rawValue] { _ = await subject.perform(operation) }
    }
  }

  /// Makes some calls.
  package func perform(_ calls: CallRing, _ range: Range<Int>) async -> Tally {
    var tally = Tally()
    for index in range {
      let call = calls[index]
      if call.isWrite { tally.writes &+= 1 }
      if case .value(let found?) = await subject.perform(operations[call.kind][call.key]),
        found.count != lengths[call.key]
      {
        tally.broken &+= 1
      }
    }
    return tally
  }

  /// Nothing can be told.
  package func lost(of writes: Int) async -> Int { 0 }
}

/// Where a call's completion and its caller meet.
///
/// `@unchecked Sendable`: `reply` is written before the exchange and read after it; `isThere` the
/// other way round.
private final class Completion: @unchecked Sendable {
  private enum State {
    static let open = 0
    static let complete = 1
    static let awaited = 2
  }

  private let state = Atomic(State.open)
  private var isThere: DispatchSemaphore?
  private var reply = Reply.done

  func complete(_ reply: Reply) {
    self.reply = reply
    // Both: the reply is seen by who waits, and the semaphore of who waits is seen here.
    let before = state.exchange(State.complete, ordering: .acquiringAndReleasing)
    if before == State.awaited { isThere?.signal() }
  }

  /// Most calls have completed by then: a semaphore is made only where one has not.
  func wait() -> Reply {
    // Acquiring: the other half of the reply's release.
    if state.load(ordering: .acquiring) == State.complete { return reply }
    let semaphore = DispatchSemaphore(value: 0)
    isThere = semaphore
    let awaited = state.compareExchange(
      expected: State.open, desired: State.awaited, ordering: .acquiringAndReleasing)
    if awaited.exchanged { semaphore.wait() }
    return reply
  }
}
