/// The stretch of code in which one resource of one instance is read or written.
public struct Section: Sendable {
  /// Names the resource; each `Section` is a resource of its own.
  public init(_ name: String) {}

  /// Runs `body` in a section that others may read in.
  public func read<R>(synched: Bool = false, _ body: () throws -> R) rethrows -> R {
    try body()
  }

  /// Runs `body` in a section that nobody else may be in.
  public func write<R>(synched: Bool = false, _ body: () throws -> R) rethrows -> R {
    try body()
  }
}
