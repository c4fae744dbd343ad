import StressRunner

/// Tusker's image cache, and Kingfisher's index of files in its place: as shipped, and with the
/// fixes.
let imageCacheSubjects: [SubjectEntry] =
  gated(
    "tusker", family: "Tusker", index: .fileStates,
    "request groups and file states in dictionaries without a lock",
    repaired: "a lock for the groups, a turn for each callback, states compared and set")
  + gated(
    "kingfisher-index", family: "Kingfisher", index: .maybeCached,
    "an index of files that a scan replaces when it is through",
    repaired: "an index of files that a scan adds to")
  + [
    // As shipped, a cache over a real connection goes wrong in nearly every trial, which is not
    // certain.
    SubjectEntry(
      name: "tusker-http-repaired",
      summary: "as tusker-repaired, over HTTP from a server on loopback", family: "Tusker",
      runsUnlisted: false
    ) {
      ImageCacheSubject(repaired: true, index: .fileStates, origin: .server(ImageOrigin()))
    }
  ]

/// A subject whose downloads wait until they are delivered, as shipped and repaired.
private func gated(
  _ name: String, family: String, index: ImageDiskCache.Index, _ asShipped: String,
  repaired: String
) -> [SubjectEntry] {
  [(name, asShipped, false), (name + "-repaired", repaired, true)].map { name, summary, repaired in
    SubjectEntry(
      name: name, summary: summary, family: family, actions: ImageCacheSubject.actions,
      runsUnlisted: false
    ) {
      ImageCacheSubject(repaired: repaired, index: index, origin: .gated(GatedImageSource()))
    }
  }
}
