import Synchronization

/// `hold-up-bounded`: counts the calls that begin and complete during one call.
///
/// The oracle counts rather than measures time: a busy machine delays all callers alike. The count
/// is a lower bound, so a reported overtaking has really happened.
final class HoldUp: Sendable {
  private let begun = Atomic<Int>(0)
  private let completed = Atomic<Int>(0)
  private let limit: Int

  /// Creates a counter with this limit.
  init(limit: Int) {
    self.limit = limit
  }

  /// Begins a call. Returns the value to pass to `complete`.
  func begin() -> Int {
    // Sequentially consistent, like the count in `complete`: a call that has completed by now is
    // counted here as begun.
    let before = begun.add(1, ordering: .sequentiallyConsistent).oldValue
    return before
  }

  /// Completes a call. Returns the number of calls that overtook it if that exceeds the limit;
  /// otherwise `nil`.
  func complete(_ begunBefore: Int) -> Int? {
    let completed = completed.add(1, ordering: .sequentiallyConsistent).oldValue
    // At most `begunBefore` of the calls completed by now had begun before this one.
    let overtakes = completed - begunBefore
    return overtakes > limit ? overtakes : nil
  }
}

/// `hold-up-bounded` for a script: no call is overtaken by more than `limit` others while it is
/// held up.
///
/// - Parameters:
///   - calls: The completed calls.
///   - limit: The number of other calls that may overtake a call.
///   - end: The epoch from which calls do not count. After an order was given up all roles run
///     freely, and overtaking is chance.
/// - Returns: The first call that exceeds the limit, as evidence; the count is a lower bound.
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
    // Exclude the call's own beginning.
    let isOwnBefore = call.began < heldUp.lowerBound
    let begunBefore = count(beginnings, before: heldUp.lowerBound) - (isOwnBefore ? 1 : 0)
    let overtakes = count(ends, before: heldUp.upperBound) - begunBefore
    guard overtakes > limit else { continue }
    return "a \(call.kind.rawValue) was held up while \(overtakes) others began and completed"
  }
  return nil
}
