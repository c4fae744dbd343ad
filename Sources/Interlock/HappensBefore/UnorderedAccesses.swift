/// Two sections on one resource, at least one of which writes, that no observed event orders.
///
/// They did not overlap in this run. If an event that is not observed orders them, they never can.
package struct UnorderedAccesses: Sendable {
  /// A lock that an owner held, by addresses, in the terms of the order source.
  package struct Held: Sendable, Hashable {
    /// The address of the lock.
    package var object: UInt
    /// The place where it was taken, and the place where that function was called; 0 if unknown.
    package var place: UInt
    package var outer: UInt
    /// The kind of lock, as a number of the order source.
    package var kind: UInt32
  }

  /// One of the two accesses.
  package struct Side: Sendable {
    /// The section.
    package var section: Conflict.Side
    /// Its stack, by addresses.
    package var addresses: [UInt]
    /// The locks that its owner held: the first's when it ended, the second's when it began.
    package var held: [Held]
  }

  /// The name of the resource.
  package var resource: String
  /// What identifies it from run to run.
  package var lastingResource: String
  /// The instance, as in a conflict.
  package var instance: String?
  /// The section that ended.
  package var first: Side
  /// The section that began afterwards.
  package var second: Side
  /// How often this pair of places was found without an order.
  package var count: Int
}

extension SectionTracking {
  /// Starts checking the order of sections, with the source given to `interlock_set_order_source`.
  package static func followOrder() { Settings.shared.followsOrder = true }

  /// The pairs of places without an observed order, except those that also overlapped. This call
  /// symbolicates the stacks.
  package static var unordered: [UnorderedAccesses] { UnorderedLog.shared.accesses }
}
