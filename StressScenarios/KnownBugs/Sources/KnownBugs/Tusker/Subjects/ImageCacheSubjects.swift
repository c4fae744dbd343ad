import InterlockStress

/// Tusker's image cache, with its own index of files or Kingfisher's: as shipped, and with the
/// fixes.
let imageCacheSubjects: [SubjectEntry] =
  gated(
    "tusker", family: "Tusker", index: .fileStates,
    "request groups and file states in dictionaries without a lock",
    repaired: "a lock for the groups, a turn for each callback, states compared and set")
  + gated(
    "tusker-attachments", family: "Tusker", index: nil,
    "tusker for images that are not kept on disk",
    repaired: "tusker-repaired for images that are not kept on disk")
  + gated(
    "kingfisher-index", family: "Kingfisher", index: .maybeCached,
    "an index of files that a scan replaces at its end",
    repaired: "an index of files that a scan adds to")
  + [
    // Only repaired: as shipped it fails in nearly every trial whose downloads end by themselves,
    // but not in all.
    SubjectEntry(
      name: "tusker-http-repaired",
      summary: "as tusker-repaired, from a source whose downloads end by themselves",
      family: "Tusker", runsUnlisted: false
    ) { ImageCacheSubject(repaired: true, index: .fileStates, isPublished: true) }
  ]

/// A subject whose downloads wait for an action that delivers them, as shipped and repaired.
private func gated(
  _ name: String, family: String, index: ImageDiskCache.Index?, _ asShipped: String,
  repaired: String
) -> [SubjectEntry] {
  [(name, asShipped, false), (name + "-repaired", repaired, true)].map { name, summary, repaired in
    .model(name, summary, family: family) { ImageCacheSubject(repaired: repaired, index: index) }
  }
}
