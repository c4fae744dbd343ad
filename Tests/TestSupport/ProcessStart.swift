import Foundation

/// Starts child processes one by one.
///
/// Foundation's `Process` closes the descriptors that it finds before it starts a child. A pipe or
/// a socket that another thread makes in between is inherited: its end of file, which says that
/// another child has ended, then comes only when this child has ended too.
package enum ProcessStart {
  private static let lock = NSLock()

  /// Runs a body that makes the pipes of a process and starts it. Any thread may call this.
  package static func alone<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }
}
