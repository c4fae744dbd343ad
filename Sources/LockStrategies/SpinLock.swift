import Synchronization

/// A flag that waiting threads read until it is clear.
///
/// Do not use one: if a low-priority owner is preempted, spinning threads of higher priority take
/// its processor, and on Apple's systems it may never run again. YYCache replaced `OSSpinLock` by a
/// POSIX mutex for that reason (its commit bfadddd, January 2016). Yielding the processor, as this
/// lock does, hides the problem on a new Linux, where even a thread of SCHED_IDLE then gets its
/// turn; without it the owner waits half a second for each spinning thread.
public final class SpinLock: Lock {
  private let isTaken = Atomic<Bool>(false)

  /// How many times a waiting thread reads the flag before it yields. Without yielding, each of a
  /// thousand waiting threads would use up its time slice before the owner runs.
  private static let looks = 100

  private let offersProcessor: Bool

  /// Makes a free lock.
  ///
  /// - Parameter offersProcessor: Whether a waiting thread yields its processor from time to time.
  public init(offersProcessor: Bool = true) {
    self.offersProcessor = offersProcessor
  }

  /// Runs `body` while the flag is set.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    // Acquiring: pairs with the releasing store of the previous owner.
    while isTaken.exchange(true, ordering: .acquiring) { waitUntilItLooksFree() }
    // Releasing: pairs with the acquiring exchange.
    defer { isTaken.store(false, ordering: .releasing) }
    return try body()
  }

  private func waitUntilItLooksFree() {
    var count = 0
    // Relaxed: only a hint, the exchange decides; a load keeps the cache line shared.
    while isTaken.load(ordering: .relaxed) {
      count &+= 1
      if offersProcessor && count % Self.looks == 0 { yieldProcessor() }
    }
  }
}
