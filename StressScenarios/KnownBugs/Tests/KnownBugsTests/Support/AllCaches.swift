extension CacheCase {
  /// The caches that show their entries.
  static let builtIn = tmCaches + yyMemory + pinMemory + modern

  /// All synchronous caches.
  static let all = builtIn + tmDiskCaches + yyOthers + pinDisk + imageStores + hybrid
}
