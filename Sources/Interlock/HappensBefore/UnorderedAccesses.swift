/// Two sections on one resource, at least one of which writes, that no observed event orders.
///
/// The sections did not overlap in this run. If an unobserved event orders them, they never can.
package struct UnorderedAccesses: Sendable {
  /// A lock that an owner held, by addresses, as the order source defines them.
  package struct Held: Sendable, Hashable {
    /// The address of the lock.
    package var object: UInt
    /// The place that acquired the lock, and the caller of that function; 0 if unknown.
    package var place: UInt
    package var outer: UInt
    /// The kind of lock, as a number of the order source.
    package var kind: UInt32
  }

  /// One of the two accesses.
  package struct Side: Sendable {
    /// The section.
    package var section: Conflict.Side
    /// The stack, by addresses.
    package var addresses: [UInt]
    /// The locks that the owner held: for the first side when it ended, for the second when it
    /// began.
    package var held: [Held]
  }

  /// The name of the resource.
  package var resource: String
  /// The identity of the resource across runs.
  package var lastingResource: String
  /// The instance, as in `Conflict`.
  package var instance: String?
  /// The section that ended.
  package var first: Side
  /// The section that began afterwards.
  package var second: Side
  /// The number of times that this pair of places was found without an order.
  package var count: Int
}

extension SectionTracking {
  /// Starts to check the order of sections, with the source given to `interlock_set_order_source`.
  package static func followOrder() { Settings.shared.followsOrder = true }

  /// The pairs of places without an observed order, except for pairs that also overlapped.
  /// Symbolicates the stacks.
  package static var unordered: [UnorderedAccesses] { UnorderedLog.shared.accesses }
}
