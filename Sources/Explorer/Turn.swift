import Synchronization

/// The turn to explore: one exploration at a time has it, since the engine's results are its own
/// memory until the next run of executions.
///
/// An exploration passes its turn on after each slice of its time, so that a small one does not
/// wait for the end of a large one.
enum Turn {
  private static let turn = Mutex(())

  /// Runs work in its turn, with the time for which it waited.
  static func take<R: Sendable, Failure: Error>(
    _ work: (_ waited: Duration) throws(Failure) -> R
  ) throws(Failure) -> R {
    let begun = ContinuousClock.now
    return try turn.withLock { _ throws(Failure) in try work(.now - begun) }
  }

  /// Within `take`, lets the explorations that wait go first; returns how long they took.
  static func pass() -> Duration {
    let begun = ContinuousClock.now
    // On Linux, the kernel gives a contended lock of this kind to the thread that has waited
    // longest: this one comes last.
    turn._unsafeUnlock()
    turn._unsafeLock()
    return .now - begun
  }
}
