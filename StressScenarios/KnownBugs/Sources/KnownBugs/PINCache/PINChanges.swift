/// The repairs made in PINCache since 2.0, and those that are still missing.
///
/// A model of a version is the shared code with the version's changes. So every bug has a twin that
/// differs by the repair alone.
struct PINChanges: OptionSet, Sendable, Hashable {
  let rawValue: UInt32

  /// The changes of these bits.
  init(rawValue: UInt32) { self.rawValue = rawValue }

  // MARK: Made between 2.0 and 3.0.4

  /// Memory: the cost of a value that is replaced is subtracted (issue 92, pull request 93).
  static let replacedCostSubtracted = PINChanges(rawValue: 1 << 0)
  /// Disk: the size of a file that is replaced is subtracted (issues 30 and 36, pull request 42).
  static let replacedBytesSubtracted = PINChanges(rawValue: 1 << 1)
  /// Disk: blocks and completions are called without the lock (pull request 97, commit 58635e4).
  static let callbacksUnlocked = PINChanges(rawValue: 1 << 2)
  /// Disk 2: the initialiser takes the semaphore, and the block that makes the directory releases
  /// it: no call runs before the directory exists (2.1).
  static let heldUntilScanned = PINChanges(rawValue: 1 << 3)
  /// Memory: no block is called for the removal of a key that is not there, and keys are sorted
  /// without the lock (pull request 317, commit 97a5dbd).
  static let sortsUnlocked = PINChanges(rawValue: 1 << 4)
  /// Disk 3: a file is moved under the lock that guards the trash's name, and deleted if that
  /// fails (issue 295, pull request 296).
  static let trashLocked = PINChanges(rawValue: 1 << 5)

  /// Memory: the age of an object counts from when it was stored, not from its last use (pull
  /// request 209; 222 reports the bug).
  static let agedByCreation = PINChanges(rawValue: 1 << 20)

  // MARK: Not made in 3.0.4

  /// Memory: a removal reads the cost in the phase that subtracts it, not before.
  static let costReadWhereSubtracted = PINChanges(rawValue: 1 << 6)
  /// A removal that has announced one object does not remove a newer one stored since.
  static let removesWhatWasAnnounced = PINChanges(rawValue: 1 << 7)
  /// An enumeration calls its block without the lock, over a copy.
  static let enumeratesCopy = PINChanges(rawValue: 1 << 8)
  /// Memory: replaced and removed objects are released after the lock.
  static let releasesUnlocked = PINChanges(rawValue: 1 << 9)
  /// Memory: a read notes its access only if the key is still there.
  static let touchesOnlyPresent = PINChanges(rawValue: 1 << 10)
  /// Disk 3: the first scan adds the sizes of its files to the byte count, and skips deleted files.
  static let bytesAddedByScan = PINChanges(rawValue: 1 << 11)
  /// Disk 3: the block that is called after a removal is the one that was read under the lock.
  static let calledBlockCopied = PINChanges(rawValue: 1 << 12)
  /// Disk 3: a wait on a condition checks the condition again, as POSIX requires.
  static let waitsInLoop = PINChanges(rawValue: 1 << 13)
  /// Objects are copied on the way in and out, as a value type is.
  static let objectsCopied = PINChanges(rawValue: 1 << 14)
  /// The pair: an object read from disk goes to memory only if memory is unchanged since the miss,
  /// and disk is changed before memory.
  static let backFillStamped = PINChanges(rawValue: 1 << 15)
  /// Disk 3: the mutex is recursive, so that a thread that holds the files' lock may call the
  /// cache.
  static let fileLockRecursive = PINChanges(rawValue: 1 << 16)
  /// Disk 3: a file that could not be decoded is deleted only if it is still the one that was read.
  static let damagedRechecked = PINChanges(rawValue: 1 << 17)
  /// A chain of trims by age is identified by a number, not by its interval: a new limit ends the
  /// previous chain.
  static let oneAgeChain = PINChanges(rawValue: 1 << 18)
  /// A change and the blocks that announce it are one step for other changes; a pair's change is
  /// one step in both layers. So blocks are called in the order of the changes, and both layers
  /// change in one order. A block may change the cache, but must not wait for another thread that
  /// does.
  static let changesInTurn = PINChanges(rawValue: 1 << 19)

  /// PINCache 2.0 as it was shipped.
  static let version2: PINChanges = []

  /// PINCache 3.0.4 as it was shipped.
  static let version3: PINChanges = [
    .replacedCostSubtracted, .replacedBytesSubtracted, .callbacksUnlocked, .sortsUnlocked,
    .trashLocked, .agedByCreation,
  ]

  /// Every repair, except the recursive file lock, which hides a caller's mistake, and copies,
  /// which change what the cache stores.
  static let repaired: PINChanges = [
    .version3, .heldUntilScanned, .costReadWhereSubtracted, .removesWhatWasAnnounced,
    .enumeratesCopy, .releasesUnlocked, .touchesOnlyPresent, .bytesAddedByScan, .calledBlockCopied,
    .waitsInLoop, .backFillStamped, .damagedRechecked, .oneAgeChain, .changesInTurn,
  ]
}

/// Which of PINCache's designs a model follows.
enum PINVersion: Sendable, Hashable {
  /// 2.0 of February 2015: a semaphore of 1.
  case two
  /// 3.0.4: a POSIX mutex.
  case three

  /// The changes that the version was shipped with.
  var shipped: PINChanges { self == .two ? .version2 : .version3 }
}
