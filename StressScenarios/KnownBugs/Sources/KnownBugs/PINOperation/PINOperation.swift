import Interlock

/// A piece of work in a `PINOperationQueue`: what PINOperationQueue.m keeps in its private class
/// PINOperation.
///
/// `@unchecked Sendable`: `priority` is only touched under the queue's lock. `data` and the
/// completions are not: the thread that runs the operation reads them without the lock, as in the
/// original, and the section detects the race.
final class PINOperation: @unchecked Sendable {
  typealias Block = @Sendable (_ data: (any Sendable)?) -> Void
  typealias Completion = @Sendable () -> Void

  let reference: PINOperationQueue.Reference
  let identifier: String?
  var priority: PINOperationQueue.Priority

  private let section = Section("pinoperation.request")
  private let block: Block
  private var data: (any Sendable)?
  private var completions: [Completion]

  init(
    _ block: @escaping Block, reference: PINOperationQueue.Reference,
    priority: PINOperationQueue.Priority, identifier: String?, data: (any Sendable)?,
    completion: Completion?
  ) {
    self.block = block
    self.reference = reference
    self.priority = priority
    self.identifier = identifier
    self.data = data
    completions = completion.map { [$0] } ?? []
  }

  /// Adds another request to the operation. Called with the queue's lock held.
  func join(
    data newData: (any Sendable)?, coalesce: PINOperationQueue.Coalescing?, completion: Completion?
  ) {
    section.write(synched: true) {
      if let coalesce { data = coalesce(data, newData) }
      if let completion { completions.append(completion) }
    }
  }

  /// Runs the operation's block. Called without the lock.
  func run() {
    let data = section.read { self.data }
    block(data)
  }

  /// Calls the completions added so far. Called without the lock.
  func complete() {
    let completions = section.read {
      SYNC_POINT("pinoperationqueue.run.takingCompletions")
      return self.completions
    }
    for completion in completions { completion() }
  }
}

/// A reference that does not keep its operation alive, as in the original's tables of weak objects.
struct WeakOperation {
  weak var operation: PINOperation?
}
