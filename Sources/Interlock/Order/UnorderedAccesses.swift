/// Two sections on one resource, at least one of them to write, of which no order was seen: what
/// made the second come after the first was luck.
///
/// They did not meet in this run. Where something orders them that nobody sees, they never can.
package struct UnorderedAccesses: Sendable {
  /// What an owner held, by addresses: whoever told of it knows what they mean.
  package struct Held: Sendable, Hashable {
    /// The address of the lock.
    package var object: UInt
    /// Where it was taken, and where that function was called; 0 where that is not known.
    package var place: UInt
    package var outer: UInt
    /// What it is, by a number of who told.
    package var kind: UInt32
  }

  /// One of the two.
  package struct Side: Sendable {
    /// The section.
    package var section: Conflict.Side
    /// Its stack, by addresses.
    package var addresses: [UInt]
    /// What its owner held: of the first as it ended, of the second as it began.
    package var held: [Held]
  }

  /// The name of the resource.
  package var resource: String
  /// Which instance, as a conflict has it.
  package var instance: String?
  /// The section that ended.
  package var first: Side
  /// The one that began after it.
  package var second: Side
  /// How often this pair of places was seen so.
  package var count: Int
}

extension SectionTracking {
  /// Begins to look at the order of sections, by the source that `interlock_set_order_source` was
  /// given.
  package static func followOrder() { Settings.shared.followsOrder = true }

  /// The pairs of places of which no order was seen, without those that met as well. Stacks are
  /// turned into functions and lines at this call.
  package static var unordered: [UnorderedAccesses] { UnorderedLog.shared.accesses }
}
