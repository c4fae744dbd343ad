import Foundation

/// Holds unmapping back while stacks are being named.
///
/// The toolchain's `ImageMap` (6.3.1) lists what this process has mapped from files, and then reads
/// the head of each: a file that another thread unmaps between the two takes the process down.
/// There is one address space, so there is one of this.
package enum MappedFiles {
  private struct Mapping {
    var base: UnsafeMutableRawPointer
    var bytes: Int
  }

  // Not `Mutex`: ThreadSanitizer takes a contended one for a race.
  private static let lock = NSLock()
  // Both are reached under the lock alone.
  nonisolated(unsafe) private static var readers = 0
  nonisolated(unsafe) private static var retired: [Mapping] = []

  /// Runs `body`, and unmaps nothing meanwhile.
  package static func keep<Result>(while body: () -> Result) -> Result {
    lock.withLock { readers += 1 }
    defer {
      lock.withLock {
        readers -= 1
        if readers == 0 {
          retired.forEach { munmap($0.base, $0.bytes) }
          retired = []
        }
      }
    }
    return body()
  }

  /// Gives a mapping back, now or as soon as nobody minds.
  package static func unmap(_ base: UnsafeMutableRawPointer, bytes: Int) {
    lock.withLock {
      if readers == 0 {
        munmap(base, bytes)
      } else {
        retired.append(Mapping(base: base, bytes: bytes))
      }
    }
  }
}
