import Foundation

@testable import KnownBugs

/// The parent of the tests' folders, removed at the end of the process: the last reference to a
/// cache may be released by a block that runs after its test.
private let parent: URL = {
  atexit { removeFolders() }
  return FileManager.default.temporaryDirectory.appendingPathComponent(
    "known-bugs-tests-" + UUID().uuidString, isDirectory: true)
}()

/// Removes the folders after TMCache's remaining blocks, which would make them again. Several
/// attempts, because files that a trash queue deletes meanwhile interrupt a removal.
private func removeFolders() {
  TMDiskCache.sharedQueue.sync {
    for _ in 0..<10 where FileManager.default.fileExists(atPath: parent.path) {
      try? FileManager.default.removeItem(at: parent)
    }
  }
}

/// A new folder, which exists until the process ends.
func newFolder() -> URL {
  let folder = parent.appendingPathComponent(UUID().uuidString, isDirectory: true)
  // Without the folder the test that uses it fails.
  try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}
