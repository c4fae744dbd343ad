import InterlockStress

/// Tusker's image cache, with its own index of files or Kingfisher's: as shipped, and with the
/// fixes. Downloads wait for an action that delivers them.
let imageCacheSubjects: [SubjectEntry] =
  SubjectEntry.twins(
    "tusker", family: "Tusker",
    asShipped: "request groups and file states in dictionaries without a lock",
    repaired: "a lock for the groups, a turn for each callback, states compared and set"
  ) { ImageCacheSubject(repaired: $0, index: .fileStates) }
  + SubjectEntry.twins(
    "tusker-attachments", family: "Tusker",
    asShipped: "tusker for images that are not kept on disk",
    repaired: "tusker-repaired for images that are not kept on disk"
  ) { ImageCacheSubject(repaired: $0, index: nil) }
  + SubjectEntry.twins(
    "kingfisher-index", family: "Kingfisher",
    asShipped: "an index of files that a scan replaces at its end",
    repaired: "an index of files that a scan adds to"
  ) { ImageCacheSubject(repaired: $0, index: .maybeCached) }
  + [
    // Only repaired: as shipped it fails in nearly every trial whose downloads end by themselves,
    // but not in all.
    SubjectEntry(
      name: "tusker-http-repaired",
      summary: "as tusker-repaired, from a source whose downloads end by themselves",
      family: "Tusker", runsUnlisted: false
    ) { ImageCacheSubject(repaired: true, index: .fileStates, isPublished: true) }
  ]
