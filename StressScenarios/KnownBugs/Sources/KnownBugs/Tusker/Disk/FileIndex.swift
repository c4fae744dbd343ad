/// A disk cache's record of the files in its folder, which saves calls of the file system.
protocol FileIndex: Sendable {
  /// Whether the file may exist, so that a read has to try; `onDisk` asks the file system.
  func mayExist(_ name: String, onDisk: () -> Bool) -> Bool

  /// Whether the index alone knows that the file exists.
  func isKnownToExist(_ name: String) -> Bool

  /// Notes that a file has been written.
  func stored(_ name: String)

  /// Notes that a file is no longer there.
  func removed(_ name: String)

  /// Notes that the folder has been emptied.
  func removedAll()

  /// Scans the folder, if this kind of index does, and calls `completion` once the index has the
  /// result.
  func scan(
    _ listing: @escaping @Sendable () -> [String]?, completion: @escaping @Sendable () -> Void)
}

extension FileIndex {
  /// Does not scan.
  func scan(
    _ listing: @escaping @Sendable () -> [String]?, completion: @escaping @Sendable () -> Void
  ) {
    completion()
  }
}
