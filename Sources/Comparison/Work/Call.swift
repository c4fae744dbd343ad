/// One call of a compared workload: what is called, and on which key. Four bytes, so that thousands
/// of them, drawn before the clock runs, stay in the processor's nearest memory.
public struct Call: Sendable, Hashable {
  /// What is called, as a number: 0 reads a key, 1 writes one; of a cache, the others are its other
  /// calls.
  public var kind: Int { Int(bits & 15) }

  /// The key, from 0.
  @inlinable public var key: Int { Int(bits >> 4) }

  /// Whether a key is written: what is neither is no call of a table.
  @inlinable public var isWrite: Bool { bits & 15 == 1 }

  @usableFromInline let bits: UInt32

  /// Describes a call.
  ///
  /// - Parameters:
  ///   - kind: Its number, 0 to 15.
  ///   - key: The key, 0 to 2²⁸ − 1.
  public init(kind: Int, key: Int) {
    bits = UInt32(key) << 4 | UInt32(kind)
  }
}

/// The calls of one caller, which it makes again and again in this order.
///
/// `@unchecked Sendable`: nothing is written after `init`.
public final class CallRing: @unchecked Sendable {
  /// How many calls there are.
  public let count: Int

  @usableFromInline let calls: UnsafeMutablePointer<Call>

  /// Keeps these calls, at least one.
  public init(_ calls: [Call]) {
    count = calls.count
    self.calls = .allocate(capacity: calls.count)
    self.calls.initialize(from: calls, count: calls.count)
  }

  deinit { calls.deallocate() }

  /// The call at a place below `count`, which is not checked: it is asked for by the nanosecond.
  @inlinable
  public subscript(index: Int) -> Call { calls[index] }
}

/// What came of some calls.
public struct Tally: Sendable, Hashable {
  /// How many of them wrote.
  public var writes = 0
  /// How many of them read what no lock lets anybody read.
  public var broken = 0

  /// Nothing yet.
  @inlinable
  public init() {}
}
