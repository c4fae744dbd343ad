import Synchronization

/// The turn to explore. Only one exploration has it at a time, since the engine's results stay in
/// its own memory until the next run.
///
/// An exploration passes the turn on after each slice of its time, so that a short exploration does
/// not wait for a long one.
enum Turn {
  private static let turn = Mutex(())

  /// Runs work while holding the turn; `waited` is the time it waited for the turn.
  static func take<R: Sendable, Failure: Error>(
    _ work: (_ waited: Duration) throws(Failure) -> R
  ) throws(Failure) -> R {
    let begun = ContinuousClock.now
    return try turn.withLock { _ throws(Failure) in try work(.now - begun) }
  }

  /// Within `take`, lets waiting explorations go first; returns how long they took.
  static func pass() -> Duration {
    let begun = ContinuousClock.now
    // On Linux, the kernel hands a contended lock of this kind to the longest-waiting thread, so
    // this thread gets it last.
    turn._unsafeUnlock()
    turn._unsafeLock()
    return .now - begun
  }
}
