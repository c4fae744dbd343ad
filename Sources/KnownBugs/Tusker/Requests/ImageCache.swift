import Foundation
import Interlock

/// Why a request for an image failed.
package enum ImageCacheError: Error, Sendable, Hashable {
  /// The source had no data.
  case source(ImageSourceError)
  /// The data is no image.
  case undecodable
}

/// An image, or why there is none.
package typealias ImageResult = Result<PixelImage, ImageCacheError>

/// What callers of Tusker see: images by URL, from the store or from the source, with the requests
/// for one URL batched into one download.
///
/// Follows Tusker's `ImageCache` of April 2021 as its author describes it in "The Intricate Image
/// Caching Architecture of Tusker": a dictionary of request groups by URL, looked up by whoever
/// wants an image and cleared by the source's thread. The article names no lock. What a caller's
/// `get` and a completion do to a group is in `RequestGroup`.
///
/// `@unchecked Sendable`: as shipped, `groups` is as unguarded as there. Its accesses are sections,
/// so two at once are told before they do damage.
package final class ImageCache: @unchecked Sendable {
  /// Both layers of the cache.
  package let store: ImageStore
  private let source: any ImageSource
  private let section = Section("imagecache.groups")
  private var groups: [String: RequestGroup] = [:]
  /// The fix: the dictionary and the groups in it change together under one lock (Kingfisher's pull
  /// request 2444). Nothing of others is called under it. `nil` as shipped.
  let lock: NSLock?

  /// Makes a cache without requests.
  package init(store: ImageStore, source: any ImageSource, repaired: Bool) {
    self.store = store
    self.source = source
    lock = repaired ? NSLock() : nil
  }

  /// Asks for an image in a form.
  ///
  /// An image that is in the store comes before this returns, on the calling thread. Otherwise a
  /// download is started, or an earlier one joined, and it comes on a thread of the source's,
  /// unless the request that this returns is cancelled. There is no request where the image was in
  /// the store.
  @discardableResult
  package func get(
    _ url: String, variant: ImageVariant = .original,
    completion: @escaping @Sendable (ImageResult) -> Void
  ) -> ImageRequest? {
    var isSecondLook = false
    while true {
      if let image = store.image(forKey: url, variant: variant) {
        completion(.success(image))
        return nil
      }
      SYNC_POINT("imagecache.get.afterMiss")
      SYNC_POINT("imagecache.get.beforeGroups")
      let request = ImageRequest(isRepaired: lock != nil) { [store] outcome in
        completion(Self.result(outcome, in: store, url, variant))
      }
      if join(url, by: request, evenIfStored: isSecondLook) { return request }
      isSecondLook = true
    }
  }

  /// Starts a download of an image that is not in the store and that nobody waits for: prefetching.
  package func fetchIfNotCached(_ url: String) {
    guard !store.has(url) else { return }
    _ = join(url, by: nil, evenIfStored: true)
  }

  /// Takes back one `fetchIfNotCached` of a URL. Each of them is like the other.
  package func cancelWithoutCallback(_ url: String) {
    group(url)?.cancelWithoutCallback()
  }

  private static func result(
    _ outcome: Result<[UInt8], ImageSourceError>, in store: ImageStore, _ url: String,
    _ variant: ImageVariant
  ) -> ImageResult {
    switch outcome {
    case .failure(let error): .failure(.source(error))
    case .success(let data):
      store.image(of: data, forKey: url, variant: variant).map { .success($0) }
        ?? .failure(.undecodable)
    }
  }

  // MARK: Groups

  private func group(_ url: String) -> RequestGroup? {
    lock?.lock()
    defer { lock?.unlock() }
    return section.read(synched: lock != nil) { groups[url] }
  }

  /// Adds a request, or one without a callback, to the group of its URL; makes and starts one if
  /// there is none.
  ///
  /// - Returns: Whether it did; the repaired cache does not where the image has come into the
  ///   store.
  private func join(_ url: String, by request: ImageRequest?, evenIfStored: Bool) -> Bool {
    guard let lock else {
      // As shipped: look, then act, and nothing in between that keeps others out.
      if let group = section.read({ groups[url] }) {
        group.add(request)
        return true
      }
      SYNC_POINT("imagecache.get.afterNoGroup")
      SYNC_POINT("imagecache.get.beforeNewGroup")
      let group = RequestGroup(url, cache: self, source: source)
      section.write { groups[url] = group }
      group.add(request)
      group.run()
      return true
    }
    lock.lock()
    if let group = section.read(synched: true, { groups[url] }) {
      group.add(request)
      lock.unlock()
      return true
    }
    // The fix for a download that ended between the look into the store and this one: a group is
    // dropped only after its data is in the store, so no group and nothing in the store means that
    // there was none.
    if !evenIfStored, store.isKnownToHave(url) {
      lock.unlock()
      return false
    }
    let group = RequestGroup(url, cache: self, source: source)
    section.write(synched: true) { groups[url] = group }
    group.add(request)
    lock.unlock()
    group.run()
    return true
  }

  /// Takes a group out of the dictionary; under the lock, where there is one.
  func drop(_ group: RequestGroup) {
    section.write(synched: lock != nil) {
      // The fix: an old group does not take out a new one of the same URL (Nuke's commit 0181368d).
      if lock != nil, groups[group.url] !== group { return }
      groups[group.url] = nil
    }
  }

  /// The URLs that are being loaded, for checks at rest.
  package var urlsUnderWay: Set<String> {
    lock?.lock()
    defer { lock?.unlock() }
    return section.read(synched: lock != nil) { Set(groups.keys) }
  }
}
