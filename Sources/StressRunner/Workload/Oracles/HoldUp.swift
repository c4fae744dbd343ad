import Synchronization

/// `hold-up-bounded`: how many calls begin and complete while one call is under way.
///
/// Counted, not timed: a busy machine holds everybody up alike. What is counted is a lower bound, so a call that
/// is said to have been overtaken has been.
final class HoldUp: Sendable {
  private let begun = Atomic<Int>(0)
  private let completed = Atomic<Int>(0)
  private let limit: Int

  /// Counts against a limit.
  init(limit: Int) {
    self.limit = limit
  }

  /// What a call that begins now takes with it.
  func begin() -> Int {
    // Sequentially consistent, both: whoever has completed by this moment had begun by it too.
    let before = begun.add(1, ordering: .sequentiallyConsistent).oldValue
    return before
  }

  /// Counts a completion; gives by how many it was overtaken, where they are too many.
  func complete(_ begunBefore: Int) -> Int? {
    let completed = completed.add(1, ordering: .sequentiallyConsistent).oldValue
    // Of those that have completed by now, at most `begunBefore` had begun before this call.
    let overtakes = completed - begunBefore
    return overtakes > limit ? overtakes : nil
  }
}
