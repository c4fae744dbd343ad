package import StressRunner
import Dispatch
import Synchronization

/// A user's subject, called as trials call it.
package final class SubjectWork: SynchronousWork {
  private let subject: any Subject
  private let operations: [[Operation]]
  private let lengths: [Int]

  /// Stores every key in a subject, and then calls it.
  package init(_ subject: any Subject, _ data: CacheData) {
    self.subject = subject
    operations = Self.operations(data)
    lengths = data.values.map(\.count)
    for operation in operations[CacheCall.set.rawValue] { _ = perform(operation) }
  }

  /// Makes some calls, and waits for each to complete.
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

  /// Always 0: a subject may drop any value.
  package func lost(of writes: Int) -> Int { 0 }

  private func perform(_ operation: Operation) -> Reply {
    let completion = Completion()
    subject.perform(operation) { completion.complete($0) }
    return completion.wait()
  }

  /// The operations of each kind, by the raw value of `CacheCall`, and then by the key's number.
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

/// A subject that tasks call, awaiting each call.
package final class AwaitedSubjectWork: AsynchronousWork {
  private let subject: any Subject
  private let operations: [[Operation]]
  private let lengths: [Int]

  /// Stores every key in a subject, and then calls it.
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

  /// Always 0: a subject may drop any value.
  package func lost(of writes: Int) async -> Int { 0 }
}

/// Passes a call's reply from its completion to its caller.
///
/// `@unchecked Sendable`: `complete` writes `reply` before its exchange, and `wait` reads it after
/// an acquiring operation; `wait` writes `isThere` before its exchange, and `complete` reads it
/// after its own.
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
    // Release: the waiting caller sees the reply. Acquire: `complete` sees the caller's semaphore.
    let before = state.exchange(State.complete, ordering: .acquiringAndReleasing)
    if before == State.awaited { isThere?.signal() }
  }

  /// Makes a semaphore only if the call has not completed yet, as most have.
  func wait() -> Reply {
    // Acquire: pairs with the release in `complete`.
    if state.load(ordering: .acquiring) == State.complete { return reply }
    let semaphore = DispatchSemaphore(value: 0)
    isThere = semaphore
    let awaited = state.compareExchange(
      expected: State.open, desired: State.awaited, ordering: .acquiringAndReleasing)
    if awaited.exchanged { semaphore.wait() }
    return reply
  }
}
