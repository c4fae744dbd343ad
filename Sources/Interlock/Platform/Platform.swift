#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

internal import CInterlock

/// What the systems do alike, under one name; what they do differently stands in a file for each.
enum Platform {
  /// Lets another thread run.
  static func yield() { sched_yield() }

  /// Stops the calling thread for so long.
  static func pause(microseconds: Int) {
    var time = timespec(
      tv_sec: microseconds / 1_000_000, tv_nsec: microseconds % 1_000_000 * 1000)
    nanosleep(&time, nil)
  }

  @inline(__always)
  static func equal(_ left: UnsafePointer<CChar>, _ right: UnsafePointer<CChar>) -> Bool {
    strcmp(left, right) == 0
  }

  static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
