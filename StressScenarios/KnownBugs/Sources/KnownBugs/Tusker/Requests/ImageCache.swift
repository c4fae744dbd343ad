import Foundation
import Interlock

/// Tusker's public cache: images by URL, from the store or from the source, with the requests for
/// one URL batched into one download.
///
/// Follows Tusker's `ImageCache` of April 2021 as its author describes it in "The Intricate Image
/// Caching Architecture of Tusker": a dictionary of request groups by URL, which callers look up
/// and the source's thread clears. The article names no lock. `RequestGroup` has what a caller's
/// `get` and a completion do to a group.
///
/// `@unchecked Sendable`: as shipped, `groups` is as unguarded as in the article. Its accesses are
/// sections, so that an overlap is reported before it does damage.
final class ImageCache: @unchecked Sendable {
  let store: ImageStore
  private let source: GatedImageSource
  private let section = Section("imagecache.groups")
  private var groups: [String: RequestGroup] = [:]
  /// The fix: the dictionary and its groups change together under one lock (Kingfisher's pull
  /// request 2444). No foreign code is called under it. `nil` as shipped.
  let lock: NSLock?

  init(store: ImageStore, source: GatedImageSource, repaired: Bool) {
    self.store = store
    self.source = source
    lock = repaired ? NSLock() : nil
  }

  /// Requests an image.
  ///
  /// If the store has the image, the completion is called on this thread before this returns `nil`.
  /// Otherwise the request joins the URL's download or starts one; the completion is called on a
  /// thread of the source, unless the returned request is cancelled.
  @discardableResult
  func get(
    _ url: String, completion: @escaping @Sendable (ImageResult) -> Void
  ) -> ImageRequest? {
    var isSecondLook = false
    while true {
      if let image = store.value(forKey: url) {
        completion(.success(image))
        return nil
      }
      SYNC_POINT("imagecache.get.afterMiss")
      SYNC_POINT("imagecache.get.beforeGroups")
      let request = ImageRequest(isRepaired: lock != nil, callback: completion)
      if join(url, by: request, evenIfStored: isSecondLook) { return request }
      isSecondLook = true
    }
  }

  /// Prefetches an image: starts a download without a callback if the store lacks the image.
  func fetchIfNotCached(_ url: String) {
    guard !store.has(url) else { return }
    _ = join(url, by: nil, evenIfStored: true)
  }

  /// Cancels one `fetchIfNotCached` of a URL; which one does not matter.
  func cancelWithoutCallback(_ url: String) {
    group(url)?.cancelWithoutCallback()
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
  /// - Returns: Whether it did; the repaired cache does not if the store has the image by now.
  private func join(_ url: String, by request: ImageRequest?, evenIfStored: Bool) -> Bool {
    guard let lock else {
      // As shipped: look-up and change without mutual exclusion.
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
    // The fix for a download that ended since the caller checked the store: check it again. A group
    // is dropped only after its data is stored, so neither group nor data means no download.
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

  /// Removes a group from the dictionary; repaired, under the lock.
  func drop(_ group: RequestGroup) {
    section.write(synched: lock != nil) {
      // The fix: an old group does not remove a new one of the same URL (Nuke's commit 0181368d).
      if lock != nil, groups[group.url] !== group { return }
      groups[group.url] = nil
    }
  }

  /// The URLs that are being loaded, for checks after all calls have ended.
  var urlsUnderWay: Set<String> {
    lock?.lock()
    defer { lock?.unlock() }
    return section.read(synched: lock != nil) { Set(groups.keys) }
  }
}
