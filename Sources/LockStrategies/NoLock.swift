/// No lock at all: everybody is let in at once. The control that every detector must find.
public struct NoLock: Lock {
  /// Makes what excludes nobody.
  public init() {}

  /// Runs `body`.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    try body()
  }
}
