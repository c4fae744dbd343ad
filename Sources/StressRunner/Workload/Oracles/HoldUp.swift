import Synchronization

/// `hold-up-bounded`: how many calls begin and complete while one call is under way.
///
/// Counted, not timed: a busy machine delays all callers alike. The count is a lower bound, so a
/// reported overtaking has really happened.
final class HoldUp: Sendable {
  private let begun = Atomic<Int>(0)
  private let completed = Atomic<Int>(0)
  private let limit: Int

  /// Counts against this limit.
  init(limit: Int) {
    self.limit = limit
  }

  /// Begins a call. Returns the value to pass to `complete`.
  func begin() -> Int {
    // Sequentially consistent, both: a call that has completed by now is counted here as begun.
    let before = begun.add(1, ordering: .sequentiallyConsistent).oldValue
    return before
  }

  /// Completes a call. Returns how many calls overtook it if they are too many; else `nil`.
  func complete(_ begunBefore: Int) -> Int? {
    let completed = completed.add(1, ordering: .sequentiallyConsistent).oldValue
    // Of the calls completed by now, at most `begunBefore` had begun before this one.
    let overtakes = completed - begunBefore
    return overtakes > limit ? overtakes : nil
  }
}

/// `hold-up-bounded`, of a script: no call is overtaken by more than `limit` others while it is
/// held up.
///
/// - Parameters:
///   - calls: The completed calls.
///   - limit: How many others may overtake a call.
///   - end: The epoch from which calls do not count: after an order was given up all roles run
///     freely, and overtaking is chance.
/// - Returns: The first call that breaks it, as evidence; the count is a lower bound.
func evidenceOfHoldUp(in calls: [History.Call], limit: Int, until end: Int = .max) -> String? {
  let beginnings = calls.map(\.began).sorted()
  let ends = calls.map(\.ended).filter { $0 < end }.sorted()
  func count(_ moments: [Int], before moment: Int) -> Int {
    var (low, high) = (0, moments.count)
    while low < high {
      let middle = (low + high) / 2
      if moments[middle] < moment { low = middle + 1 } else { high = middle }
    }
    return low
  }
  for call in calls {
    let heldUp = call.heldUp
    // Without the call's own beginning.
    let isOwnBefore = call.began < heldUp.lowerBound
    let begunBefore = count(beginnings, before: heldUp.lowerBound) - (isOwnBefore ? 1 : 0)
    let overtakes = count(ends, before: heldUp.upperBound) - begunBefore
    guard overtakes > limit else { continue }
    return "a \(call.kind.rawValue) was held up while \(overtakes) others began and completed"
  }
  return nil
}
