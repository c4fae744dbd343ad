/// No lock at all: the control that every detector must find.
public struct NoLock: Lock {
  /// Makes a lock that excludes no caller.
  public init() {}

  /// Runs `body`.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    try body()
  }
}
