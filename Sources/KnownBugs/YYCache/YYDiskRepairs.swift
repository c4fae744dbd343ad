/// What is mended in a `YYDiskCache`, and in a `YYCache`; nothing is, as version 1.0.4 was shipped.
package struct YYDiskRepairs: OptionSet, Sendable {
  /// One bit for each repair.
  package let rawValue: Int

  /// The repairs of these bits.
  package init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Asking for the instance of a folder and making it are one step, and a folder has one instance
  /// however its path is written: the advice given in YYCache issues 73 and 118, made the cache's
  /// own business.
  package static let sharesOneInstance = YYDiskRepairs(rawValue: 1 << 0)
  /// The blocks of a removal of everything are called with the lock given back. No upstream fix is
  /// known.
  package static let callsBackUnlocked = YYDiskRepairs(rawValue: 1 << 1)
  /// A call that was accepted keeps the cache alive until it is done: YYCache issue 151.
  package static let keepsCacheAlive = YYDiskRepairs(rawValue: 1 << 2)
  /// A pair changes memory and disk as one step, and what a miss in memory found on disk is put
  /// into memory only if no such step came between. No upstream fix is known; YYCache 1.0.4 looks
  /// once more in the asynchronous form alone (commit 3a64444).
  package static let changesBothAsOne = YYDiskRepairs(rawValue: 1 << 3)

  /// A database that another connection has locked, or is just closing, is waited for. As shipped
  /// the call fails; and where it is an opening, the database is taken for a damaged one and thrown
  /// away.
  package static let waitsForDatabase = YYDiskRepairs(rawValue: 1 << 4)

  /// All of them.
  package static let all: YYDiskRepairs = [
    .sharesOneInstance, .callsBackUnlocked, .keepsCacheAlive, .changesBothAsOne,
    .waitsForDatabase,
  ]
}
