import Foundation

/// Starts child processes one at a time.
///
/// Foundation's `Process` closes the descriptors that it finds before it starts a child. The child
/// inherits a pipe or socket that another thread makes after that. The end of file of that pipe,
/// which tells that another child has ended, then comes only when this child has ended too.
package enum ProcessStart {
  private static let lock = NSLock()

  /// Runs a body that makes the pipes of a process and starts it. Any thread may call this.
  package static func alone<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }
}
