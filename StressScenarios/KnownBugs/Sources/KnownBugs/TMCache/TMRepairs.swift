/// The known bugs of TMCache that a model repairs; none for the cache as shipped.
///
/// The models follow TMCache 2.1.0 (github.com/tumblr/TMCache, commit 4a39e53), whose bugs are
/// named by the numbers of its issues and pull requests. Each repair works alone, except where its
/// comment says otherwise.
struct TMRepairs: OptionSet, Sendable, Hashable {
  let rawValue: Int

  /// A synchronous call does its work on the caller's thread under a lock, an asynchronous one
  /// wraps it, and no user's block runs while the lock is held.
  ///
  /// As shipped the synchronous call starts the asynchronous one and waits for it, which takes a
  /// second thread (issues 25 and 39), and blocks, completions and decoding run on the queue that
  /// is the lock (issues 94 and 96, pull request 37). The repair is that of pull request 71, which
  /// became the fork: PINCache 644ee71, and 58635e4 (its number 97) for the blocks.
  static let synchronousCore = TMRepairs(rawValue: 1 << 0)

  /// Memory and disk change in one step under the disk's lock, and an object read from the disk is
  /// stored in memory only if its file has not changed since. Includes `synchronousCore`, whose
  /// lock it needs.
  ///
  /// As shipped memory and disk change concurrently, and a read that missed may store an old object
  /// in memory (issue 48, open). The check is the version stamp that Kingfisher and RocksDB use.
  static let layersInStep = TMRepairs(rawValue: 1 << 1).union(.synchronousCore)

  /// Every call completes, also without a key and after the last reference to the cache is
  /// released.
  ///
  /// As shipped such a call is dropped silently (issue 73; pull request 78 has the missing calls,
  /// and YYCache's issue 151 the strong reference).
  static let answersAlways = TMRepairs(rawValue: 1 << 2)

  /// A new age limit replaces the timer that the old one started.
  ///
  /// As shipped each setting starts another chain of timers, and none ends (read in
  /// `setAgeLimit:`).
  static let oneAgeTimer = TMRepairs(rawValue: 1 << 3)

  /// Sums and dates match what is stored: the cost of a replaced object and the size of a damaged
  /// file are subtracted, and an access is only noted for a key that is still stored.
  ///
  /// As shipped the memory cache adds without subtracting (line 293; the disk cache had the same
  /// fault, issues 42 and 79, until pull request 82).
  static let exactTotals = TMRepairs(rawValue: 1 << 4)

  /// All caches over one directory share the index of the disk, and the pairs' memory. Includes
  /// `synchronousCore`.
  ///
  /// As shipped two caches of one name share a queue and the files, but each has its own index. The
  /// repair is YYDiskCache's, one instance for each path.
  static let onePerDirectory = TMRepairs(rawValue: 1 << 5).union(.synchronousCore)

  /// A file that cannot be moved to the trash is deleted at once, and the trash is made again.
  ///
  /// As shipped the trash directory is made once in a process: if it is lost, no removal works
  /// (issue 68, pull request 69).
  static let removesWithoutTrash = TMRepairs(rawValue: 1 << 6)

  /// All of them: the repaired twin.
  static let all: TMRepairs = [
    .layersInStep, .answersAlways, .oneAgeTimer, .exactTotals, .onePerDirectory,
    .removesWithoutTrash,
  ]
}
