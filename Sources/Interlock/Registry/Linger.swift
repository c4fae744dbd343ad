internal import Synchronization

/// Delays that keep a section open a little longer now and then, so that an overlap which is possible
/// becomes certain (setting `linger`). Whoever is kept out by a lock stays out: it only waits longer.
///
/// Short calls on a busy machine run one after the other: a thread ends a thousand of them before the next
/// gets a processor. Giving up the processor is not enough then (measured: 2 of 40 runs without an overlap),
/// so the delay is of the length of the scheduler's turns. Delays come at begins 16, 32, 64, … of the
/// process: a long workload is delayed more often, and none by much.
enum Linger {
  /// How long each lasts.
  static let microseconds = 5000
  /// How many there are, at most: 80 ms in all.
  static let budget = 16

  private static let begins = Atomic<UInt>(0)

  /// Counts a begin, and lingers if it is its turn.
  @inline(never)
  static func afterBegin() {
    // Relaxed: a count, which orders nothing.
    let count = begins.wrappingAdd(1, ordering: .relaxed).newValue
    guard count >= 16, count.nonzeroBitCount == 1 else { return }
    if count >= 16 << UInt(budget) {
      Settings.shared.lingers = false
    } else {
      Platform.pause(microseconds: microseconds)
    }
  }
}
