import Foundation
import Plain

/// A counter that notes the names of its callers.
public final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private let names = Names()
  private var value = 0

  /// Starts at 0.
  public init() {}

  /// Adds one.
  public func add(_ name: String) {
    lock.withLock {
      value += 1
      names.add(name)
    }
  }

  /// How many were added.
  public var total: Int { lock.withLock { value } }
}
