import InterlockStress

/// PINCache 2.0 and 3.0.4, each with its repaired twin.
let pinCacheSubjects: [SubjectEntry] = [
  // Memory.
  memory("pin-memory-2", "2.0's memory: a semaphore in three phases", .two, .version2),
  memory("pin-memory-2-repaired", "the same with every repair", .two, .repaired),
  memory("pin-memory-3", "3.0.4's memory: a POSIX mutex in three phases", .three, .version3),
  memory("pin-memory-3-repaired", "the same with every repair", .three, .repaired),
  memory(
    "pin-memory-3-copies", "3.0.4's memory, with copies on the way in and out", .three,
    [.version3, .objectsCopied]),

  memory(
    "pin-memory-2-ttl", "2's memory as a TTL cache, under the semaphore", .two, .version2,
    isTTLCache: true),
  memory(
    "pin-memory-2-ttl-repaired", "the same with every repair", .two, .repaired, isTTLCache: true),

  // Disk.
  disk2("pin-disk-2", "2.0's disk: a semaphore held over blocks and completions", .version2),
  disk2("pin-disk-2-repaired", "the same with every repair", .repaired),
  disk3("pin-disk-3", "3.0.4's disk: a mutex, two conditions, a scan behind", .version3),
  disk3("pin-disk-3-repaired", "the same with every repair", .repaired),
  disk3(
    "pin-disk-3-before-296", "3's disk as it emptied its trash before pull request 296",
    .version3.subtracting(.trashLocked)),
  disk3(
    "pin-disk-3-recursive", "3.0.4's disk, with a mutex that is recursive",
    [.version3, .fileLockRecursive]),
  SubjectEntry(
    name: "pin-disk-2-twice", summary: "two of 2.0's disk caches of one name",
    family: "PINCache", actions: PINTwoDisksSubject.actions, runsUnlisted: false
  ) { PINTwoDisksSubject(isShared: false) },
  SubjectEntry(
    name: "pin-disk-2-shared", summary: "one of 2.0's disk caches, got twice by its name",
    family: "PINCache", actions: PINTwoDisksSubject.actions, runsUnlisted: false
  ) { PINTwoDisksSubject(isShared: true) },

  // Both.
  pair("pin-cache-2", "2.0: memory before disk, no lock of its own", .two, .version2),
  pair("pin-cache-3", "3.0.4: memory before disk, no lock of its own", .three, .version3),
  pair("pin-cache-3-repaired", "3.0.4 with every repair", .three, .repaired),
  SubjectEntry(
    name: "pin-cache-3-twice", summary: "two of 3.0.4's pairs over one directory",
    family: "PINCache", actions: PINTwoPairsSubject.actions, runsUnlisted: false
  ) { PINTwoPairsSubject(isShared: false) },
  SubjectEntry(
    name: "pin-cache-3-shared", summary: "one of 3.0.4's pairs, got twice by its name",
    family: "PINCache", actions: PINTwoPairsSubject.actions, runsUnlisted: false
  ) { PINTwoPairsSubject(isShared: true) },
  migration("pin-migration", "TMCache's files are renamed, or deleted", isRepaired: false),
  migration("pin-migration-repaired", "TMCache's files are moved one by one", isRepaired: true),
]

private func migration(_ name: String, _ summary: String, isRepaired: Bool) -> SubjectEntry {
  SubjectEntry(
    name: name, summary: summary, family: "PINCache", actions: PINMigrationSubject.actions,
    runsUnlisted: false
  ) { PINMigrationSubject(isRepaired: isRepaired) }
}

private func memory(
  _ name: String, _ summary: String, _ version: PINVersion, _ changes: PINChanges,
  isTTLCache: Bool = false
) -> SubjectEntry {
  SubjectEntry(
    name: name, summary: summary, family: "PINCache", actions: PINMemorySubject.actions,
    runsUnlisted: false, isMemoryCache: true
  ) { PINMemorySubject(version, changes: changes, isTTLCache: isTTLCache) }
}

private func disk2(_ name: String, _ summary: String, _ changes: PINChanges) -> SubjectEntry {
  SubjectEntry(
    name: name, summary: summary, family: "PINCache", actions: PINDisk2Subject.actions,
    runsUnlisted: false
  ) { PINDisk2Subject(changes: changes) }
}

private func disk3(_ name: String, _ summary: String, _ changes: PINChanges) -> SubjectEntry {
  SubjectEntry(
    name: name, summary: summary, family: "PINCache", actions: PINDisk3Subject.actions,
    runsUnlisted: false
  ) { PINDisk3Subject(changes: changes) }
}

private func pair(
  _ name: String, _ summary: String, _ version: PINVersion, _ changes: PINChanges
) -> SubjectEntry {
  SubjectEntry(
    name: name, summary: summary, family: "PINCache", actions: PINPairSubject.actions,
    runsUnlisted: false
  ) { PINPairSubject(version, changes: changes) }
}
