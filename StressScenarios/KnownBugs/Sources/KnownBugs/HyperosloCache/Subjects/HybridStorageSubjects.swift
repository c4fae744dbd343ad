import Foundation
import InterlockStress

/// hyperoslo's Cache in its versions, and AwesomeCache.
let hybridStorageSubjects: [SubjectEntry] = [
  hybridStorage("hybrid-storage", "a queue for sync calls, one for async (7.4.0)", .twoQueues),
  hybridStorage("hybrid-storage-one-queue", "all calls on one queue (before 4.0.0)", .oneQueue),
  hybridStorage("hybrid-storage-repaired", "a lock that is released before callbacks run", .lock),
  basicHybrid("hybrid-cache-1", "a queue to read on and a queue to write on (1.0.0)", false),
  basicHybrid("hybrid-cache-1-repaired", "hybrid-cache-1 that checks expired objects again", true),
  awesome("awesome-cache-1", "waits for its own serial queue to clean up (1.0)", .serialQueue),
  awesome("awesome-cache-66", "the same behind barriers (pull request 66)", .barrierQueue),
  awesome("awesome-cache-repaired", "cleans up without waiting for its queue (3.0)", .repaired),
]

private func hybridStorage(
  _ name: String, _ summary: String, _ locking: HybridLocking
) -> SubjectEntry {
  SubjectEntry(
    name: name, summary: summary, family: "hyperoslo Cache",
    actions: HybridStorageSubject.Action.allCases.map(\.rawValue), runsUnlisted: false
  ) { HybridStorageSubject(made { try HybridStorageCache(directory: $0, locking: locking) }) }
}

private func basicHybrid(_ name: String, _ summary: String, _ repaired: Bool) -> SubjectEntry {
  SubjectEntry(
    name: name, summary: summary, family: "hyperoslo Cache",
    actions: [BasicHybridSubject.setExpired], runsUnlisted: false
  ) { BasicHybridSubject(made { BasicHybridCache(directory: $0, repaired: repaired) }) }
}

private func awesome(
  _ name: String, _ summary: String, _ version: AwesomeCache.Version
) -> SubjectEntry {
  SubjectEntry(
    name: name, summary: summary, family: "AwesomeCache",
    actions: AwesomeSubject.Action.allCases.map(\.rawValue), runsUnlisted: false
  ) { AwesomeSubject(made { try AwesomeCache(directory: $0, version: version) }) }
}

/// A cache over a directory of its own, in the folder for temporary files.
private func made<Made>(_ make: (URL) throws -> Made) -> Made {
  let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("hybrid-\(UUID().uuidString)", isDirectory: true)
  do {
    return try make(directory)
  } catch {
    fatalError("no cache in the folder for temporary files: \(error.localizedDescription)")
  }
}
