import Synchronization

/// Counts overlaps of blocks that should run alone. Safe from any thread.
final class Overlap: Sendable {
  private let inside = Atomic<Int>(0)
  private let wrong = Atomic<Int>(0)
  private let ended = Atomic<Int>(0)

  /// The number of blocks that overlapped another block although one of the two should be alone.
  var violations: Int { wrong.load(ordering: .acquiring) }

  /// The number of blocks that have run.
  var total: Int { ended.load(ordering: .acquiring) }

  /// Runs for a short time. A block that should run alone counts as a thousand.
  func run(alone: Bool) {
    let weight = alone ? 1000 : 1
    let others = inside.add(weight, ordering: .acquiringAndReleasing).oldValue
    if alone ? others != 0 : others >= 1000 { wrong.add(1, ordering: .relaxed) }
    for _ in 0..<500 where inside.load(ordering: .acquiring) < weight {
      wrong.add(1, ordering: .relaxed)
    }
    inside.subtract(weight, ordering: .acquiringAndReleasing)
    ended.add(1, ordering: .acquiringAndReleasing)
  }
}
