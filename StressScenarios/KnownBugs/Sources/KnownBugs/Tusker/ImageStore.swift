import Caches
import Foundation
import Interlock
import Synchronization

/// Both layers: data in memory and on disk. The data stands in for the images that Tusker keeps
/// decoded in memory.
///
/// Follows Tusker's `ImageDataCache` of April 2021: memory first, then disk; data found on disk is
/// stored in memory. An error of the disk layer leaves the data in memory alone.
final class ImageStore: Cache {
  /// The lower layer, if there is one.
  let disk: ImageDiskCache?
  private let memory = ImageMemory()
  /// A fix: serializes changes, so that both layers end with the same entry. `nil` as shipped.
  private let writers: NSLock?
  /// A fix: counts changes. Data read from disk is stored in memory only if nothing has changed
  /// since; PINCache and hyperoslo's Cache lack this version stamp too.
  private let changes = Atomic<Int>(0)

  init(disk: ImageDiskCache?, repaired: Bool) {
    self.disk = disk
    writers = repaired ? NSLock() : nil
  }

  func value(forKey key: String) -> [UInt8]? {
    if let data = memory.data(forKey: key) { return data }
    guard let disk else { return nil }
    // Acquiring: pairs with the releasing add that follows each change on disk.
    let before = changes.load(ordering: .acquiring)
    guard let data = disk.data(forKey: key) else { return nil }
    SYNC_POINT("imagecache.get.afterDiskRead")
    SYNC_POINT("imagecache.get.beforeBackFill")
    memory.set(
      CacheEntry(value: data, cost: data.count), forKey: key, if: { isStillTrue(since: before) })
    return data
  }

  private func isStillTrue(since before: Int) -> Bool {
    // Called under the layer's lock. A writer counts up before it takes that lock: either this load
    // sees the count, or the writer later removes what is stored now.
    writers == nil || changes.load(ordering: .acquiring) == before
  }

  /// Whether a key has data, in memory or on disk.
  func has(_ key: String) -> Bool { memory.contains(key) || disk?.has(key) ?? false }

  /// Whether a key is known to have data, without asking the file system.
  func isKnownToHave(_ key: String) -> Bool {
    memory.contains(key) || disk?.isKnownToHave(key) ?? false
  }

  private func changing(_ body: () -> Void) {
    writers?.lock()
    defer { writers?.unlock() }
    body()
  }

  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    changing {
      disk?.set(value, forKey: key)
      countChange()
      memory.set(CacheEntry(value: value, cost: cost), forKey: key)
    }
  }

  func removeValue(forKey key: String) {
    changing {
      disk?.remove(forKey: key)
      countChange()
      memory.set(nil, forKey: key)
    }
  }

  func removeAllValues() {
    changing {
      disk?.removeAll()
      forgetMemory()
    }
  }

  private func countChange() {
    // Releasing: after the change on disk, before the change in memory.
    changes.add(1, ordering: .releasing)
  }

  /// Removes everything from memory alone, as a memory warning of the system does.
  func forgetMemory() {
    countChange()
    memory.removeAll()
  }

  /// The entries in memory, for checks after all calls have ended.
  func entriesInMemory() -> [String: CacheEntry] { memory.entries }

  /// How many entries there are in memory or on disk.
  var count: Int {
    let inMemory = Set(memory.entries.keys.map { ImageDiskCache.fileName(forKey: $0) })
    return inMemory.union(disk?.fileNames() ?? []).count
  }
}

/// The memory layer: a dictionary under a lock, which stands in for Tusker's `NSCache`.
///
/// `@unchecked Sendable`: `stored` is under `lock`.
private final class ImageMemory: @unchecked Sendable {
  private let lock = NSLock()
  private let section = Section("imagecache.memory")
  private var stored: [String: CacheEntry] = [:]

  func data(forKey key: String) -> [UInt8]? {
    lock.lock()
    defer { lock.unlock() }
    // The section is a write: in the original, a look-up moves the entry.
    return section.write(synched: true) { stored[key]?.value }
  }

  func contains(_ key: String) -> Bool {
    lock.withLock { section.read(synched: true) { stored[key] != nil } }
  }

  /// Stores an entry, or removes it. Evaluates the condition under the lock, and stores nothing if
  /// it is false.
  func set(_ entry: CacheEntry?, forKey key: String, if condition: () -> Bool = { true }) {
    lock.withLock {
      if condition() { section.write(synched: true) { stored[key] = entry } }
    }
  }

  func removeAll() { lock.withLock { section.write(synched: true) { stored = [:] } } }

  var entries: [String: CacheEntry] {
    lock.withLock { section.read(synched: true) { stored } }
  }
}
