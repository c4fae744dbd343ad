#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The monotonic clock of all measurements, in nanoseconds; the cheapest that the system has.
package enum Clock {
  /// Nanoseconds since a fixed time before the process began.
  @inline(__always)
  package static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec &* 1_000_000_000 &+ time.tv_nsec
  }

  /// Sleeps for this time; a signal may end it early.
  package static func sleep(nanoseconds: Int) {
    guard nanoseconds > 0 else { return }
    var time = timespec(
      tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
    nanosleep(&time, nil)
  }

  /// The cost of two readings in nanoseconds, which timing adds to a call: the median of many.
  package static func costOfPair() -> Double {
    let readings = 1000
    let costs = (0..<21).map { _ in
      let start = now
      for _ in 0..<readings { _ = now }
      return Double(now - start) / Double(readings)
    }
    return 2 * costs.sorted()[costs.count / 2]
  }
}
