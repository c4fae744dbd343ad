/// No lock at all: the control that every detector must find.
package struct NoLock: Lock {
  /// Makes a lock that excludes no caller.
  package init() {}

  /// Runs `body`.
  package func withLock<R>(_ body: () throws -> R) rethrows -> R {
    try body()
  }
}
