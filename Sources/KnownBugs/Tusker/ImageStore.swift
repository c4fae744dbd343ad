package import Caches
import Foundation
import Interlock
import Synchronization

/// The two layers together: data and decoded images in memory, data on disk.
///
/// Follows Tusker's `ImageDataCache` of April 2021: memory first, then disk; what is found on disk
/// is put into memory. What is decoded is kept in each form that was asked for.
package final class ImageStore: Sendable {
  /// Limits and expiry of the layers.
  package struct Settings: Sendable {
    /// How long an entry may be read from memory.
    package var memoryExpiry = CacheExpiry.never
    /// How many originals, and how many decoded images, memory may hold.
    package var countLimit = Int.max
    /// What the originals, and how many bytes the decoded images, in memory may cost.
    package var costLimit = Int.max
    /// The longest side of a downscaled image in pixels; `nil` for no downscaling.
    package var desiredSide: Int?
    /// Whether the data itself is kept in memory, and not only what was decoded from it. Tusker
    /// does it for attachments, whose animation a decoded image would lose.
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
  /// A fix: two that change an entry take turns, so that both layers end with the same one. `nil`
  /// as shipped.
  private let writers: NSLock?
  /// A fix: how often anything was changed. What was read from disk goes into memory only if it is
  /// still true by then; PINCache and hyperoslo's Cache lack it, too (the catalogue's version
  /// stamp).
  private let changes = Atomic<Int>(0)

  /// Puts a memory layer over a disk layer, or over none.
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

  /// The data as it came, from memory or from disk.
  package func data(forKey key: String) -> [UInt8]? {
    if let original = originals.value(forKey: key) { return original.data }
    guard let disk else { return nil }
    // Acquiring: whoever changed what is read below counted up afterwards.
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

  /// The image in a form; decoded once, then from memory. `nil` where there is no data, or none
  /// that is an image.
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
    guard let original = try? PixelImage(netpbm: data) else { return nil }
    let image = variant.applied(to: original, desiredSide: settings.desiredSide)
    decoded.setValue(
      image, forKey: VariantKey(key: key, variant: variant), cost: image.byteCount,
      if: { isStillTrue(since: before) })
    return image
  }

  private func isStillTrue(since before: Int) -> Bool {
    // Asked under the layer's lock. A writer counts up before it takes that lock: either it is seen
    // here, or it comes to the layer later and takes out what goes in now.
    writers == nil || changes.load(ordering: .acquiring) == before
  }

  /// Whether there is something under a key, in memory or on disk.
  package func has(_ key: String) -> Bool {
    isInMemory(key) || disk?.has(key) ?? false
  }

  /// Whether something is known to be under a key, without a look at the file system.
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

  /// Stores data in both layers, in the place of what was there.
  ///
  /// - Throws: The disk layer's error; the data is in memory nevertheless, where that keeps data.
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

  /// Removes what is under a key from both layers.
  ///
  /// - Throws: The disk layer's error; it is gone from memory nevertheless.
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
  /// - Throws: The disk layer's error; everything is gone from memory nevertheless.
  package func removeAll() throws {
    try changing {
      let removed = Result { try disk?.removeAll() }
      forgetMemory()
      try removed.get()
    }
  }

  private func forgetImages(_ key: String) {
    // Releasing: after the change on disk, before those in memory.
    changes.add(1, ordering: .releasing)
    for variant in ImageVariant.all {
      decoded.removeValue(forKey: VariantKey(key: key, variant: variant))
    }
  }

  /// Removes everything from memory alone, as a warning of the system that memory is low does.
  package func forgetMemory() {
    // Releasing: after a change on disk, before those in memory.
    changes.add(1, ordering: .releasing)
    decoded.removeAllValues()
    originals.removeAllValues()
  }

  // MARK: For checks at rest

  /// What the originals in memory cost together.
  package var costInMemory: Int { originals.totalCost }

  /// How many bytes the decoded images in memory take.
  package var decodedByteCount: Int { decoded.totalCost }

  /// The originals in memory.
  package func originalsInMemory() -> [String: CacheEntry] {
    originals.values().mapValues { CacheEntry(value: $0.value.data, cost: $0.cost) }
  }
}
