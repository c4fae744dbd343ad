import Caches
import KnownBugs

extension CacheCase {
  /// Tusker's two layers, and memory alone. They show no entries: a file has no cost.
  static let imageStores = [
    CacheCase("ImageStore, in memory") { ImageStore(disk: nil, repaired: true) },
    CacheCase("ImageStore as shipped, over files") { StoreOnFiles(repaired: false) },
    CacheCase("ImageStore repaired, over files") { StoreOnFiles(repaired: true) },
  ]
}

/// An image store over a folder that is removed with it.
private final class StoreOnFiles: Cache {
  private let folder: TemporaryFolder
  private let store: ImageStore

  init(repaired: Bool) {
    // Without a folder there is nothing to test.
    folder = try! TemporaryFolder()
    store = ImageStore(
      disk: try! ImageDiskCache(directory: folder.url, repaired: repaired), repaired: repaired)
  }

  func value(forKey key: String) -> [UInt8]? { store.value(forKey: key) }
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    store.setValue(value, forKey: key, cost: cost)
  }
  func removeValue(forKey key: String) { store.removeValue(forKey: key) }
  func removeAllValues() { store.removeAllValues() }
  var count: Int { store.count }
}
