/// The repairs of a `YYMemoryCache`; none for version 1.0.4 as shipped.
struct YYMemoryRepairs: OptionSet, Sendable {
  let rawValue: Int

  /// A value is read before the lock is released: YYCache pull request 153.
  static let readsUnderLock = YYMemoryRepairs(rawValue: 1 << 0)
  /// Removed objects are released after the lock, unless on a queue. No upstream fix is known;
  /// `removeObjectForKey:` of 1.0.4 shows how.
  static let releasesOutsideLock = YYMemoryRepairs(rawValue: 1 << 1)
  /// A trim that finds the lock held acquires it next, and then removes all entries above the
  /// limit. No upstream fix is known.
  static let trimsInTurn = YYMemoryRepairs(rawValue: 1 << 2)
  /// A `set` above the cost limit requests a trim only if no requested one is still to begin. No
  /// upstream fix is known.
  static let asksForOneTrim = YYMemoryRepairs(rawValue: 1 << 3)

  /// The block that is called at a notification is the one that was found. No upstream fix is
  /// known.
  static let callsBlockOnce = YYMemoryRepairs(rawValue: 1 << 4)

  /// All of them.
  static let all: YYMemoryRepairs = [
    .readsUnderLock, .releasesOutsideLock, .trimsInTurn, .asksForOneTrim,
    .callsBlockOnce,
  ]
}
