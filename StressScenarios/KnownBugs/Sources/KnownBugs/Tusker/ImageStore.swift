package import Caches
import Foundation
import Interlock
import Synchronization

/// Both layers: data and decoded images in memory, data on disk.
///
/// Follows Tusker's `ImageDataCache` of April 2021: memory first, then disk; data found on disk is
/// stored in memory. Decoded images are kept in each requested form.
package final class ImageStore: Sendable {
  /// Limits and expiry of the layers.
  package struct Settings: Sendable {
    /// How long an entry may be read from memory.
    package var memoryExpiry = CacheExpiry.never
    /// How many originals, and how many decoded images, memory may hold.
    package var countLimit = Int.max
    /// The cost limit of the originals in memory, and the limit in bytes of the decoded images.
    package var costLimit = Int.max
    /// The longest side of a downscaled image in pixels; `nil` for no downscaling.
    package var desiredSide: Int?
    /// Whether memory keeps the data itself besides the decoded images. Tusker does for
    /// attachments, whose animation a decoded image would lose.
    package var keepsOriginals = true

    /// No limits, no expiry, no downscaling; the data is kept.
    package init() {}
  }

  private struct Original: Sendable {
    var data: [UInt8]
    var cost: Int
  }

  /// The lower layer, if there is one.
  package let disk: ImageDiskCache?
  private let settings: Settings
  private let originals: ExpiringMemoryCache<String, Original>
  private let decoded: ExpiringMemoryCache<VariantKey, PixelImage>
  /// A fix: serializes changes, so that both layers end with the same entry. `nil` as shipped.
  private let writers: NSLock?
  /// A fix: counts changes. Data read from disk is stored in memory only if nothing has changed
  /// since; PINCache and hyperoslo's Cache lack this version stamp too.
  private let changes = Atomic<Int>(0)

  /// Makes a store of a memory layer and, if given, a disk layer.
  package init(
    disk: ImageDiskCache?, settings: Settings = Settings(), repaired: Bool,
    now: @escaping CacheClock = { Date() }
  ) {
    self.disk = disk
    self.settings = settings
    writers = repaired ? NSLock() : nil
    originals = ExpiringMemoryCache(
      expiry: settings.memoryExpiry, countLimit: settings.countLimit,
      costLimit: settings.costLimit, now: now)
    decoded = ExpiringMemoryCache(
      expiry: settings.memoryExpiry, countLimit: settings.countLimit,
      costLimit: settings.costLimit, now: now)
  }

  // MARK: Reads

  /// The original data, from memory or from disk.
  package func data(forKey key: String) -> [UInt8]? {
    if let original = originals.value(forKey: key) { return original.data }
    guard let disk else { return nil }
    // Acquiring: pairs with the releasing add that follows each change on disk.
    let before = changes.load(ordering: .acquiring)
    guard let data = disk.data(forKey: key) else { return nil }
    SYNC_POINT("imagecache.get.afterDiskRead")
    SYNC_POINT("imagecache.get.beforeBackFill")
    if settings.keepsOriginals {
      originals.setValue(
        Original(data: data, cost: data.count), forKey: key, cost: data.count,
        if: { isStillTrue(since: before) })
    }
    return data
  }

  /// The image in a form; decoded once, then from memory. `nil` if there is no data, or it is no
  /// image.
  package func image(forKey key: String, variant: ImageVariant = .original) -> PixelImage? {
    if let image = decoded.value(forKey: VariantKey(key: key, variant: variant)) { return image }
    let before = changes.load(ordering: .acquiring)
    guard let data = data(forKey: key) else { return nil }
    return decode(data, forKey: key, variant: variant, readAfter: before)
  }

  /// The image in a form, from data that has just been stored under its key.
  func image(of data: [UInt8], forKey key: String, variant: ImageVariant) -> PixelImage? {
    let before = changes.load(ordering: .acquiring)
    if let image = decoded.value(forKey: VariantKey(key: key, variant: variant)) { return image }
    return decode(data, forKey: key, variant: variant, readAfter: before)
  }

  private func decode(
    _ data: [UInt8], forKey key: String, variant: ImageVariant, readAfter before: Int
  ) -> PixelImage? {
    guard let original = PixelImage(encoded: data) else { return nil }
    let image = variant.applied(to: original, desiredSide: settings.desiredSide)
    decoded.setValue(
      image, forKey: VariantKey(key: key, variant: variant), cost: image.byteCount,
      if: { isStillTrue(since: before) })
    return image
  }

  private func isStillTrue(since before: Int) -> Bool {
    // Called under the layer's lock. A writer counts up before it takes that lock: either this load
    // sees the count, or the writer later removes what is stored now.
    writers == nil || changes.load(ordering: .acquiring) == before
  }

  /// Whether a key has data, in memory or on disk.
  package func has(_ key: String) -> Bool {
    isInMemory(key) || disk?.has(key) ?? false
  }

  /// Whether a key is known to have data, without asking the file system.
  func isKnownToHave(_ key: String) -> Bool {
    isInMemory(key) || disk?.isKnownToHave(key) ?? false
  }

  private func isInMemory(_ key: String) -> Bool {
    originals.contains(key)
      || ImageVariant.all.contains { decoded.contains(VariantKey(key: key, variant: $0)) }
  }

  // MARK: Changes

  private func changing<R>(_ body: () throws -> R) rethrows -> R {
    writers?.lock()
    defer { writers?.unlock() }
    return try body()
  }

  /// Stores data in both layers, and replaces older data.
  ///
  /// - Throws: The disk layer's error; memory has the data nevertheless, if it keeps originals.
  package func set(_ data: [UInt8], forKey key: String, cost: Int) throws {
    try changing {
      let written = Result { try disk?.set(data, forKey: key) }
      forgetImages(key)
      if settings.keepsOriginals {
        originals.setValue(Original(data: data, cost: cost), forKey: key, cost: cost)
      }
      try written.get()
    }
  }

  /// Removes a key from both layers.
  ///
  /// - Throws: The disk layer's error; memory has removed the key nevertheless.
  package func remove(forKey key: String) throws {
    try changing {
      let removed = Result { try disk?.remove(forKey: key) }
      forgetImages(key)
      originals.removeValue(forKey: key)
      try removed.get()
    }
  }

  /// Removes everything from both layers.
  ///
  /// - Throws: The disk layer's error; memory is empty nevertheless.
  package func removeAll() throws {
    try changing {
      let removed = Result { try disk?.removeAll() }
      forgetMemory()
      try removed.get()
    }
  }

  private func forgetImages(_ key: String) {
    // Releasing: after the change on disk, before the changes in memory.
    changes.add(1, ordering: .releasing)
    for variant in ImageVariant.all {
      decoded.removeValue(forKey: VariantKey(key: key, variant: variant))
    }
  }

  /// Removes everything from memory alone, as a memory warning of the system does.
  package func forgetMemory() {
    // Releasing: after a change on disk, before the changes in memory.
    changes.add(1, ordering: .releasing)
    decoded.removeAllValues()
    originals.removeAllValues()
  }

  // MARK: For checks after all calls have ended

  /// What the originals in memory cost together.
  package var costInMemory: Int { originals.totalCost }

  /// How many bytes the decoded images in memory take.
  package var decodedByteCount: Int { decoded.totalCost }

  /// The originals in memory.
  package func originalsInMemory() -> [String: CacheEntry] {
    originals.values().mapValues { CacheEntry(value: $0.value.data, cost: $0.cost) }
  }
}
