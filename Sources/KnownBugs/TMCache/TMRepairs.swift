/// Which of TMCache's known bugs a model is to be without; none of them for the cache as it was
/// shipped.
///
/// The models follow TMCache 2.1.0 (github.com/tumblr/TMCache, commit 4a39e53), whose bugs are
/// named by the numbers of its issues and pull requests. Each repair can be made alone, except
/// where it says otherwise.
package struct TMRepairs: OptionSet, Sendable, Hashable {
  /// The repairs as bits.
  package let rawValue: Int

  /// Takes the repairs from bits.
  package init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// A synchronous call does its work on the caller's thread under a lock, an asynchronous one
  /// wraps it, and no block of the user's runs while the lock is held.
  ///
  /// As shipped it is the other way round: the synchronous call starts the asynchronous one and
  /// waits for it, which takes a second thread (issues 25 and 39), and blocks, completions and the
  /// reading of archives run on the queue that is the lock (issues 94 and 96, pull request 37). The
  /// repair is that of pull request 71, which became the fork: PINCache 644ee71, and 58635e4 (its
  /// number 97) for the blocks.
  package static let synchronousCore = TMRepairs(rawValue: 1 << 0)

  /// Memory and disk change in one step under the disk's lock, and what a read brings back from the
  /// disk is put into memory only if the disk has not changed under that key since. Includes
  /// `synchronousCore`, whose lock it needs.
  ///
  /// As shipped the two are changed side by side, and a read that missed puts back what it found
  /// (issue 48, open). The check of what has been read is the version stamp that Kingfisher and
  /// RocksDB use.
  package static let layersInStep = TMRepairs(rawValue: 1 << 1).union(.synchronousCore)

  /// Every accepted call answers, without a key too and when the last reference to the cache has
  /// gone.
  ///
  /// As shipped such a call is dropped without a word (issue 73; pull request 78 has the missing
  /// calls, and YYCache's issue 151 the strong reference).
  package static let answersAlways = TMRepairs(rawValue: 1 << 2)

  /// A new age limit takes the place of the timer that the old one started.
  ///
  /// As shipped each setting starts one more chain of timers, and none ends (read in
  /// `setAgeLimit:`).
  package static let oneAgeTimer = TMRepairs(rawValue: 1 << 3)

  /// Sums and dates follow what is there: a replaced object's cost is taken off, a damaged file's
  /// size too, and an access is only noted for a key that is still stored.
  ///
  /// As shipped the memory cache adds without taking off (line 293; the disk cache had it as issues
  /// 42 and 79 until pull request 82).
  package static let exactTotals = TMRepairs(rawValue: 1 << 4)

  /// All caches over one directory share what they know of it: the index of the disk, and the
  /// pairs' memory. Includes `synchronousCore`.
  ///
  /// As shipped two of one name share a queue and the files, and each counts for itself. The repair
  /// is YYDiskCache's, one instance for each path.
  package static let onePerDirectory = TMRepairs(rawValue: 1 << 5).union(.synchronousCore)

  /// What cannot be moved to the trash is deleted at once, and the trash is made again.
  ///
  /// As shipped the directory is made once in a process: without it no removal works any more
  /// (issue 68, pull request 69).
  package static let removesWithoutTrash = TMRepairs(rawValue: 1 << 6)

  /// All of them: the repaired twin.
  package static let all: TMRepairs = [
    .layersInStep, .answersAlways, .oneAgeTimer, .exactTotals, .onePerDirectory,
    .removesWithoutTrash,
  ]
}
