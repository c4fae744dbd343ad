import Synchronization

/// A flag that waiting threads read until it is clear.
///
/// Do not use one: when a thread of low priority is preempted while it is in, threads of higher
/// priority spin in its way, and on Apple's systems it may never run again. YYCache left
/// `OSSpinLock` for a POSIX mutex for that (its commit bfadddd, January 2016). Offering the
/// processor to others, as this lock does, hides it on a new Linux, where even a thread of
/// SCHED_IDLE gets its turn so; without the offer it waits for half a second for each thread that
/// spins.
public final class SpinLock: Lock {
  private let isTaken = Atomic<Bool>(false)

  /// How often a waiting thread looks before it offers its processor to another. Without the offer,
  /// a thousand waiting threads would each use up their slice before the one that is in gets its
  /// turn.
  private static let looks = 100

  private let offersProcessor: Bool

  /// Makes an open lock.
  ///
  /// - Parameter offersProcessor: Whether a waiting thread offers its processor to another now and
  ///   then.
  public init(offersProcessor: Bool = true) {
    self.offersProcessor = offersProcessor
  }

  /// Runs `body` while the flag is set.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    // Acquiring: what the last one inside wrote is seen by the one who enters.
    while isTaken.exchange(true, ordering: .acquiring) { waitUntilItLooksFree() }
    // Releasing: the other half of that pair.
    defer { isTaken.store(false, ordering: .releasing) }
    return try body()
  }

  private func waitUntilItLooksFree() {
    var count = 0
    // Relaxed: only a hint, the exchange decides; and reading keeps the cache line shared.
    while isTaken.load(ordering: .relaxed) {
      count &+= 1
      if offersProcessor && count % Self.looks == 0 { yieldProcessor() }
    }
  }
}
