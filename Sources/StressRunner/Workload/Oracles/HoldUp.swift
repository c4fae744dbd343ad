import Synchronization

/// `hold-up-bounded`: how many calls begin and complete while one call is under way.
///
/// Counted, not timed: a busy machine holds everybody up alike. What is counted is a lower bound,
/// so a call that is said to have been overtaken has been.
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

/// `hold-up-bounded`, of a script: no call is overtaken by more than `limit` others.
///
/// - Parameters:
///   - calls: The completed calls.
///   - limit: How many others may.
///   - end: The moment from which on nothing counts: when an order has been given up, all run
///     freely, and who overtakes whom is chance.
/// - Returns: The first call that is, in words; what is counted is a lower bound, as above.
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
    let overtakes = count(ends, before: call.ended) - count(beginnings, before: call.began)
    guard overtakes > limit else { continue }
    return "a \(call.kind.rawValue) was held up while \(overtakes) others began and completed"
  }
  return nil
}
