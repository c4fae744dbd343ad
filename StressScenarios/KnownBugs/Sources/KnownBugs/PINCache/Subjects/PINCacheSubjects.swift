import InterlockStress

/// PINCache 2.0 and 3.0.4, each with its repaired twin.
let pinCacheSubjects: [SubjectEntry] = [
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
  model("pin-disk-2-twice", "two of 2.0's disk caches of one name") {
    PINTwoDisksSubject(isShared: false)
  },
  model("pin-disk-2-shared", "one of 2.0's disk caches, got twice by its name") {
    PINTwoDisksSubject(isShared: true)
  },

  pair("pin-cache-2", "2.0: memory before disk, no lock of its own", .two, .version2),
  pair("pin-cache-3", "3.0.4: memory before disk, no lock of its own", .three, .version3),
  pair("pin-cache-3-repaired", "3.0.4 with every repair", .three, .repaired),
  model("pin-cache-3-twice", "two of 3.0.4's pairs over one directory") {
    PINTwoPairsSubject(isShared: false)
  },
  model("pin-cache-3-shared", "one of 3.0.4's pairs, got twice by its name") {
    PINTwoPairsSubject(isShared: true)
  },
  model("pin-migration", "TMCache's files are renamed, or deleted") {
    PINMigrationSubject(isRepaired: false)
  },
  model("pin-migration-repaired", "TMCache's files are moved one by one") {
    PINMigrationSubject(isRepaired: true)
  },
]

private func model(
  _ name: String, _ summary: String, isMemoryCache: Bool = false,
  _ make: @escaping @Sendable () -> some ActionSubject
) -> SubjectEntry {
  .model(name, summary, family: "PINCache", isMemoryCache: isMemoryCache, make)
}

private func memory(
  _ name: String, _ summary: String, _ version: PINVersion, _ changes: PINChanges,
  isTTLCache: Bool = false
) -> SubjectEntry {
  model(name, summary, isMemoryCache: true) {
    PINMemorySubject(version, changes: changes, isTTLCache: isTTLCache)
  }
}

private func disk2(_ name: String, _ summary: String, _ changes: PINChanges) -> SubjectEntry {
  model(name, summary) { PINDisk2Subject(changes: changes) }
}

private func disk3(_ name: String, _ summary: String, _ changes: PINChanges) -> SubjectEntry {
  model(name, summary) { PINDisk3Subject(changes: changes) }
}

private func pair(
  _ name: String, _ summary: String, _ version: PINVersion, _ changes: PINChanges
) -> SubjectEntry {
  model(name, summary) { PINPairSubject(version, changes: changes) }
}
