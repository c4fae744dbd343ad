import Synchronization

/// Counts overlaps of blocks of which one should run alone. From any thread.
final class Overlap: Sendable {
  private let inside = Atomic<Int>(0)
  private let wrong = Atomic<Int>(0)
  private let ended = Atomic<Int>(0)

  /// How often a block overlapped another although one of them should have been alone.
  var violations: Int { wrong.load(ordering: .acquiring) }

  /// How many blocks have run.
  var total: Int { ended.load(ordering: .acquiring) }

  /// Runs for a short time. A block that should be alone counts a thousand.
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
