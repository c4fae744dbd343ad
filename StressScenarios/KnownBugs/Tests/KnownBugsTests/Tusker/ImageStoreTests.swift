import Foundation
import Testing

import Caches
@testable import KnownBugs

@Suite("A store of images", .timeLimit(.minutes(10)))
struct ImageStoreTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let colours = PixelImage(samples: [255, 20, 30, 40])

  private func store(
    _ settings: ImageStore.Settings = .init(), repaired: Bool, clock: TestClock = TestClock()
  ) throws -> ImageStore {
    ImageStore(
      disk: try ImageDiskCache(directory: folder.url, repaired: repaired),
      settings: settings, repaired: repaired, now: clock.clock)
  }

  @Test("An image store finds images on disk that memory has evicted", arguments: [true, false])
  func layers(repaired: Bool) throws {
    let store = try store(repaired: repaired)
    try store.set([1], forKey: "a", cost: 9)
    #expect(store.costInMemory == 9)
    store.forgetMemory()
    #expect(store.originalsInMemory() == [:])
    #expect(store.data(forKey: "a") == [1])
    // It is in memory again, so the file is not needed.
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("a"))
    #expect(store.data(forKey: "a") == [1])
    #expect(store.has("a"))
    try store.remove(forKey: "a")
    #expect(!store.has("a"))
  }

  @Test(
    "An image store gives each form of an image, and decodes it once", arguments: [true, false])
  func variants(repaired: Bool) throws {
    var settings = ImageStore.Settings()
    settings.desiredSide = 2
    let store = try store(settings, repaired: repaired)
    try store.set(Self.colours.encoded, forKey: "a", cost: 1)
    #expect(store.image(forKey: "a") == Self.colours)
    #expect(store.image(forKey: "a", variant: .downscaled)?.samples == [255, 20])
    #expect(store.image(forKey: "a", variant: .grayscale)?.samples == [240, 16, 16, 32])
    #expect(store.image(forKey: "a", variant: [.downscaled, .grayscale])?.samples == [240, 16])
    #expect(store.decodedByteCount == 4 + 2 + 4 + 2)
    // The decoded form stands without the data.
    try store.disk?.remove(forKey: "a")
    #expect(store.image(forKey: "a", variant: .grayscale)?.samples == [240, 16, 16, 32])
  }

  @Test(
    "An image store shows no form of an image that was replaced or removed",
    arguments: [true, false])
  func replacing(repaired: Bool) throws {
    let store = try store(repaired: repaired)
    let black = PixelImage(samples: [0])
    try store.set(Self.colours.encoded, forKey: "a", cost: 1)
    _ = store.image(forKey: "a", variant: .grayscale)
    try store.set(black.encoded, forKey: "a", cost: 1)
    #expect(store.image(forKey: "a", variant: .grayscale) == black)
    try store.remove(forKey: "a")
    #expect(store.image(forKey: "a", variant: .grayscale) == nil)
    try store.set(black.encoded, forKey: "a", cost: 1)
    _ = store.image(forKey: "a")
    try store.removeAll()
    #expect(store.image(forKey: "a") == nil)
  }

  @Test("An image store has no image if the data is none, but has the data")
  func undecodable() throws {
    let store = try store(repaired: true)
    try store.set([1, 2, 3], forKey: "a", cost: 3)
    #expect(store.image(forKey: "a") == nil)
    #expect(store.data(forKey: "a") == [1, 2, 3])
  }

  @Test("An image store keeps only the decoded image in memory if that is set")
  func withoutOriginals() throws {
    var settings = ImageStore.Settings()
    settings.keepsOriginals = false
    let store = try store(settings, repaired: true)
    try store.set(Self.colours.encoded, forKey: "a", cost: 1)
    _ = store.image(forKey: "a")
    #expect(store.originalsInMemory() == [:])
    #expect(store.costInMemory == 0)
    #expect(store.data(forKey: "a") == Self.colours.encoded)
    #expect(store.count == 1)
  }

  @Test("An image store evicts the least recently used above a number of entries or a cost")
  func eviction() throws {
    var settings = ImageStore.Settings()
    settings.countLimit = 2
    let store = ImageStore(disk: nil, settings: settings, repaired: true)
    for key in ["a", "b"] { try store.set([1], forKey: key, cost: 1) }
    #expect(store.data(forKey: "a") == [1])
    try store.set([1], forKey: "c", cost: 1)
    #expect(Set(store.originalsInMemory().keys) == ["a", "c"])

    settings = ImageStore.Settings()
    settings.costLimit = 10
    let costly = ImageStore(disk: nil, settings: settings, repaired: true)
    for (key, cost) in [("a", 4), ("b", 4), ("a", 5), ("c", 3)] {
      try costly.set([1], forKey: key, cost: cost)
    }
    #expect(Set(costly.originalsInMemory().keys) == ["a", "c"])
    #expect(costly.costInMemory == 8)
    try costly.set([1], forKey: "d", cost: 11)
    #expect(costly.originalsInMemory() == [:])
    #expect(costly.costInMemory == 0)
  }

  @Test("An image store has no expired image in memory")
  func expiry() throws {
    let clock = TestClock()
    var settings = ImageStore.Settings()
    settings.memoryExpiry = .seconds(10)
    let store = ImageStore(disk: nil, settings: settings, repaired: true, now: clock.clock)
    try store.set([1], forKey: "a", cost: 5)
    clock.advance(9)
    #expect(store.data(forKey: "a") == [1])
    #expect(store.has("a"))
    clock.advance(1)
    #expect(!store.has("a"))
    #expect(store.data(forKey: "a") == nil)
    #expect(store.costInMemory == 0)
  }

  @Test("An image store keeps images in memory that the disk cannot store, and reports them")
  func diskError() throws {
    let store = try store(repaired: true)
    try FileManager.default.removeItem(at: folder.url)
    try Data().write(to: folder.url)
    #expect(throws: (any Error).self) { try store.set([1], forKey: "a", cost: 1) }
    #expect(store.data(forKey: "a") == [1])
    // The protocol's call cannot report it.
    store.setValue([2], forKey: "a", cost: 1)
    #expect(store.value(forKey: "a") == [2])
  }
}
