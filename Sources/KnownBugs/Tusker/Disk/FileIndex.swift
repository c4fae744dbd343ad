/// What a disk cache remembers of the files in its folder, so that it need not ask the file system.
protocol FileIndex: Sendable {
  /// Whether the index lets a read of this file go on; `onDisk` asks the file system.
  func mayExist(_ name: String, onDisk: () -> Bool) -> Bool

  /// Whether the index knows, without asking anybody, that the file is there.
  func isKnownToExist(_ name: String) -> Bool

  /// Notes that a file has been written.
  func stored(_ name: String)

  /// Notes that a file is no longer there.
  func removed(_ name: String)

  /// Notes that the folder has been emptied.
  func removedAll()

  /// Looks through the folder, if the index is one that does, and calls `completion` when what it
  /// found is in the index.
  func scan(
    _ listing: @escaping @Sendable () -> [String]?, completion: @escaping @Sendable () -> Void)
}

extension FileIndex {
  /// The index never looks.
  func scan(
    _ listing: @escaping @Sendable () -> [String]?, completion: @escaping @Sendable () -> Void
  ) {
    completion()
  }
}
