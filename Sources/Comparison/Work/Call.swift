/// One call of a compared workload: its kind and its key. Four bytes, so that thousands of calls,
/// drawn before the measurement, stay in the processor's first-level cache.
@usableFromInline
package struct Call: Sendable, Hashable {
  /// The kind of the call: 0 reads a key, 1 writes one; higher numbers are other calls of a cache.
  package var kind: Int { Int(bits & 15) }

  /// The key, from 0.
  @inlinable package var key: Int { Int(bits >> 4) }

  /// Whether the call writes a key; a table has reads and writes only.
  @inlinable package var isWrite: Bool { bits & 15 == 1 }

  @usableFromInline let bits: UInt32

  /// Describes a call.
  ///
  /// - Parameters:
  ///   - kind: Its number, 0 to 15.
  ///   - key: The key, 0 to 2²⁸ − 1.
  package init(kind: Int, key: Int) {
    bits = UInt32(key) << 4 | UInt32(kind)
  }
}

/// The calls of one caller, which it repeats in this order.
///
/// `@unchecked Sendable`: nothing is written after `init`.
@usableFromInline
package final class CallRing: @unchecked Sendable {
  /// How many calls there are.
  package let count: Int

  @usableFromInline let calls: UnsafeMutablePointer<Call>

  /// Keeps these calls, at least one.
  package init(_ calls: [Call]) {
    count = calls.count
    self.calls = .allocate(capacity: calls.count)
    self.calls.initialize(from: calls, count: calls.count)
  }

  deinit { calls.deallocate() }

  /// The call at an index below `count`, unchecked, because every nanosecond counts here.
  @inlinable
  package subscript(index: Int) -> Call { calls[index] }
}

/// The results of some calls.
@usableFromInline
package struct Tally: Sendable, Hashable {
  /// How many of them wrote.
  @usableFromInline package var writes = 0
  /// How many of them read a state that a correct lock never exposes.
  @usableFromInline package var broken = 0

  /// An empty tally.
  @inlinable
  package init() {}
}
