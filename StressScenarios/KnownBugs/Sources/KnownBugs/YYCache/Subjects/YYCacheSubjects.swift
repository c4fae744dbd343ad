import InterlockStress

/// YYCache's caches, as shipped and repaired.
let yycacheSubjects: [SubjectEntry] =
  SubjectEntry.twins(
    "yymemory", family: "YYCache", isMemoryCache: true,
    asShipped: "a list and a dictionary under a mutex, read and trimmed past it",
    repaired: "the same, with every access inside the mutex, in turn"
  ) { YYMemorySubject($0 ? .all : []) }
  + SubjectEntry.twins(
    "yydisk", family: "YYCache", missing: SQLiteLibrary.missing,
    asShipped: "SQLite and files under a semaphore, as many caches as paths",
    repaired: "one cache for a folder, blocks called outside the semaphore"
  ) { YYDiskSubject($0 ? .all : []) }
  + SubjectEntry.twins(
    "yycache", family: "YYCache", missing: SQLiteLibrary.missing,
    asShipped: "memory before disk, and no lock over both",
    repaired: "memory and disk change in one step, one pair for a folder"
  ) { YYPairSubject($0 ? .all : []) }
  + SubjectEntry.twins(
    "yykit-dictionary", family: "YYCache",
    asShipped: "a dictionary that is enumerated under its semaphore",
    repaired: "a dictionary of which a copy is enumerated"
  ) { YYDictionarySubject($0) }
