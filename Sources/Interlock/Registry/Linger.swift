internal import Synchronization

/// Delays that keep a section open a little longer now and then, so that an overlap which is possible
/// becomes likely (option `linger`). Whoever is kept out by a lock stays out: it only waits longer.
enum Linger {
  /// Delays in a process, at most: they may be spent on sections that nobody shares.
  static let budget = 100
  /// How long each lasts: long enough for a waiting thread to get a processor and come.
  static let microseconds = 50

  private static let spent = Atomic<Int>(0)

  @inline(never)
  static func pause() {
    // Relaxed: a budget; whether one more or less is spent at its end does not matter.
    if spent.wrappingAdd(1, ordering: .relaxed).oldValue < budget {
      Platform.pause(microseconds: microseconds)
    } else {
      Settings.shared.lingerEvery = 0
    }
  }
}

extension UnsafeMutablePointer where Pointee == ThreadHome {
  /// Lingers at one begin in `every`, while the section is open.
  @inline(never)
  func lingerSometimes(_ every: UInt) {
    // xorshift64 (Marsaglia, 2003).
    pointee.random ^= pointee.random << 13
    pointee.random ^= pointee.random >> 7
    pointee.random ^= pointee.random << 17
    if pointee.random % UInt64(every) == 0 { Linger.pause() }
  }
}
