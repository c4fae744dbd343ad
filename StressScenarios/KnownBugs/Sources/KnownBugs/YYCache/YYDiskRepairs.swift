/// The repairs of a `YYDiskCache` and a `YYCache`; none for version 1.0.4 as shipped.
struct YYDiskRepairs: OptionSet, Sendable {
  let rawValue: Int

  /// Look-up and creation of a folder's instance are one step, and every spelling of its path gives
  /// the same instance. YYCache issues 73 and 118 advise users to do so; here the cache does.
  static let sharesOneInstance = YYDiskRepairs(rawValue: 1 << 0)
  /// The lock is released for the blocks of a removal of everything. No upstream fix is known.
  static let callsBackUnlocked = YYDiskRepairs(rawValue: 1 << 1)
  /// An asynchronous call retains the cache until it is done: YYCache issue 151.
  static let keepsCacheAlive = YYDiskRepairs(rawValue: 1 << 2)
  /// A pair changes memory and disk in one step, and a read that misses in memory stores the disk's
  /// value there only if no such step has run since. No upstream fix is known; YYCache 1.0.4 checks
  /// once more in the asynchronous form alone (commit 3a64444).
  static let changesBothAsOne = YYDiskRepairs(rawValue: 1 << 3)

  /// A call waits for a database that another connection has locked or is closing. As shipped the
  /// call fails; and if it opens the database, it treats it as damaged and deletes it.
  static let waitsForDatabase = YYDiskRepairs(rawValue: 1 << 4)

  /// All of them.
  static let all: YYDiskRepairs = [
    .sharesOneInstance, .callsBackUnlocked, .keepsCacheAlive, .changesBothAsOne,
    .waitsForDatabase,
  ]
}
