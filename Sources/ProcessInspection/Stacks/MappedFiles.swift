import Foundation

/// Delays unmapping while stacks are being symbolicated.
///
/// The toolchain's `ImageMap` (6.3.1) lists the files that this process has mapped, and then reads
/// the head of each: the process crashes if another thread unmaps a file in between. A process has
/// one address space, so this is global.
package enum MappedFiles {
  private struct Mapping {
    var base: UnsafeMutableRawPointer
    var bytes: Int
  }

  // Not `Mutex`: ThreadSanitizer reports a contended one as a race.
  private static let lock = NSLock()
  // Both are accessed only under the lock.
  nonisolated(unsafe) private static var readers = 0
  nonisolated(unsafe) private static var retired: [Mapping] = []

  /// Runs `body`; nothing is unmapped meanwhile.
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

  /// Unmaps memory: now, or when the last `keep(while:)` ends.
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
