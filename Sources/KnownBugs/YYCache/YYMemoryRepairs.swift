/// What is mended in a `YYMemoryCache`; nothing is, as version 1.0.4 was shipped.
package struct YYMemoryRepairs: OptionSet, Sendable {
  /// One bit for each repair.
  package let rawValue: Int

  /// The repairs of these bits.
  package init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// A value is read before the lock is given back, and not after: YYCache pull request 153.
  package static let readsUnderLock = YYMemoryRepairs(rawValue: 1 << 0)
  /// What is taken out dies after the lock was given back, where it is not released on a queue. No
  /// upstream fix is known; `removeObjectForKey:` of 1.0.4 shows how.
  package static let releasesOutsideLock = YYMemoryRepairs(rawValue: 1 << 1)
  /// A trim that finds the lock taken is the next to have it, and then takes out all that it must.
  /// No upstream fix is known.
  package static let trimsInTurn = YYMemoryRepairs(rawValue: 1 << 2)
  /// A `set` above the cost limit asks for a trim only where none has been asked for. No upstream
  /// fix is known.
  package static let asksForOneTrim = YYMemoryRepairs(rawValue: 1 << 3)

  /// All of them.
  package static let all: YYMemoryRepairs = [
    .readsUnderLock, .releasesOutsideLock, .trimsInTurn, .asksForOneTrim,
  ]
}
