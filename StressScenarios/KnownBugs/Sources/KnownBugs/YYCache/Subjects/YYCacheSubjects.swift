import InterlockStress

/// YYCache's caches, as shipped and repaired.
let yycacheSubjects: [SubjectEntry] = [
  memory("yymemory", "a list and a dictionary under a mutex, read and trimmed past it", []),
  memory("yymemory-repaired", "the same, with every access inside the mutex, in turn", .all),
  disk("yydisk", "SQLite and files under a semaphore, as many caches as paths", []),
  disk("yydisk-repaired", "one cache for a folder, blocks called outside the semaphore", .all),
  pair("yycache", "memory before disk, and no lock over both", []),
  pair("yycache-repaired", "memory and disk change in one step, one pair for a folder", .all),
  dictionary("yykit-dictionary", "a dictionary that is enumerated under its semaphore", false),
  dictionary("yykit-dictionary-repaired", "a dictionary of which a copy is enumerated", true),
]

private func memory(
  _ name: String, _ summary: String, _ repairs: YYMemoryRepairs
) -> SubjectEntry {
  .model(name, summary, family: "YYCache", isMemoryCache: true) { YYMemorySubject(repairs) }
}

private func disk(_ name: String, _ summary: String, _ repairs: YYDiskRepairs) -> SubjectEntry {
  .model(name, summary, family: "YYCache", missing: SQLiteLibrary.missing) {
    YYDiskSubject(repairs)
  }
}

private func pair(_ name: String, _ summary: String, _ repairs: YYDiskRepairs) -> SubjectEntry {
  .model(name, summary, family: "YYCache", missing: SQLiteLibrary.missing) {
    YYPairSubject(repairs)
  }
}

private func dictionary(_ name: String, _ summary: String, _ repaired: Bool) -> SubjectEntry {
  .model(name, summary, family: "YYCache") { YYDictionarySubject(repaired) }
}
