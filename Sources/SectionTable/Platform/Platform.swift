#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

internal import CMarks

/// System functions under one name on each platform. Functions that this module does not need are
/// in the module above.
package enum Platform {
  /// Lets another thread run.
  package static func yield() { interlock_give_way() }

  @inline(__always)
  static func equal(_ left: UnsafePointer<CChar>, _ right: UnsafePointer<CChar>) -> Bool {
    strcmp(left, right) == 0
  }

  /// Zeroed memory that shares no cache line; `nil` without memory.
  static func zeroedMemory(bytes: Int) -> UnsafeMutableRawPointer? {
    calloc(1, bytes + 64).map { $0.alignedUp(toMultipleOf: 64) }
  }

  #if canImport(Darwin)
  /// Milliseconds of a monotonic clock, read without a system call.
  @inline(__always)
  package static var coarseMilliseconds: UInt {
    UInt(clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX) / 1_000_000)
  }
  #else
  /// Milliseconds of a monotonic clock. It is cheap, and up to a tick of the system (4 ms) behind.
  ///
  /// Not inlined: a caller that rarely reads it would always pay for its stack space.
  @inline(never)
  package static var coarseMilliseconds: UInt {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return UInt(time.tv_sec) &* 1000 &+ UInt(time.tv_nsec) / 1_000_000
  }
  #endif

  /// Microseconds of a monotonic clock.
  package static var microseconds: UInt {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt(time.tv_sec) &* 1_000_000 &+ UInt(time.tv_nsec) / 1000
  }
}
