#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

internal import CInterlock

/// Functions of the system under one name; those that differ are in a file per system.
enum Platform {
  /// Lets another thread run.
  static func yield() { interlock_give_way() }

  /// Stops the calling thread for this time.
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
