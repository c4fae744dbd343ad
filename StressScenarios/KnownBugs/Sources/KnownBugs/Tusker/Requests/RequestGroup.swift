import Foundation
import Interlock

/// The requests for one download: those with a callback, and the number of those without.
///
/// Follows the seed article: `cancel()` removes one request, and the URL task is cancelled when
/// none is left, with or without a callback. When the download ends: store, call back, drop the
/// group. A cancelled task completes later, on the source's thread, and the group stays in the
/// dictionary until then.
///
/// `@unchecked Sendable`: as shipped nothing guards the members, which the sections detect;
/// repaired, the cache's lock does.
final class RequestGroup: @unchecked Sendable {
  let url: String
  // A reference cycle only while the group is in the cache's dictionary, as with `URLSession` and
  // its delegate.
  private let cache: ImageCache
  private let section = Section("imagecache.requestGroup")
  private var requests: [ImageRequest] = []
  private var withoutCallback = 0
  private var task: ImageTask?

  init(_ url: String, cache: ImageCache, source: GatedImageSource) {
    self.url = url
    self.cache = cache
    task = ImageTask(source, url) { [self] outcome in complete(outcome) }
  }

  /// Adds a request, or one without a callback. Repaired, the caller holds the cache's lock.
  func add(_ request: ImageRequest?) {
    section.write(synched: cache.lock != nil) {
      if let request {
        request.group = self
        requests.append(request)
      } else {
        withoutCallback += 1
      }
    }
  }

  /// Starts the download.
  func run() {
    cache.lock?.lock()
    let started = section.read(synched: cache.lock != nil) { task }
    cache.lock?.unlock()
    started?.resume()
  }

  func cancel(_ request: ImageRequest) {
    cancel {
      guard let index = requests.firstIndex(where: { $0 === request }) else { return false }
      requests.remove(at: index)
      // Repaired, the request has dropped its callback itself.
      if cache.lock == nil { request.forgetCallback() }
      return true
    }
  }

  func cancelWithoutCallback() {
    cancel {
      guard withoutCallback > 0 else { return false }
      withoutCallback -= 1
      return true
    }
  }

  /// Removes a request, and cancels the task if none is left.
  private func cancel(_ takeOut: () -> Bool) {
    cache.lock?.lock()
    let ended = section.write(synched: cache.lock != nil) {
      takeOut() && requests.isEmpty && withoutCallback == 0 ? task : nil
    }
    // The fix: drop the group, so that no later request joins a cancelled one (AlamofireImage's
    // issue 121).
    if ended != nil, cache.lock != nil { cache.drop(self) }
    cache.lock?.unlock()
    ended?.cancel()
  }

  private func complete(_ outcome: ImageResult) {
    SYNC_POINT("imagecache.complete.begins")
    if case .success(let data) = outcome {
      cache.store.setValue(data, forKey: url, cost: data.count)
    }
    if let lock = cache.lock {
      completeAtOnce(outcome, lock)
    } else {
      completeAsShipped(outcome)
    }
  }

  private func completeAsShipped(_ outcome: ImageResult) {
    let callbacks = section.read { requests.compactMap(\.currentCallback) }
    SYNC_POINT("imagecache.complete.afterCopy")
    SYNC_POINT("imagecache.complete.beforeCallbacks")
    for callback in callbacks { callback(outcome) }
    SYNC_POINT("imagecache.complete.afterCallbacks")
    SYNC_POINT("imagecache.complete.beforeDrop")
    // As shipped, drop by URL: this may drop a newer group, or requests that joined since the copy.
    cache.drop(self)
    end()
  }

  /// The fix: take the requests and drop the group in one step, so that no request joins in between
  /// (SDWebImage's commit a2b3a57b); and either this thread or `cancel()` takes each callback
  /// (Kingfisher's pull request 2319).
  private func completeAtOnce(_ outcome: ImageResult, _ lock: NSLock) {
    lock.lock()
    let requests = section.write(synched: true) {
      defer { self.requests = [] }
      return self.requests
    }
    cache.drop(self)
    lock.unlock()
    SYNC_POINT("imagecache.complete.afterCopy")
    SYNC_POINT("imagecache.complete.beforeCallbacks")
    for request in requests { request.callOnce(outcome) }
    SYNC_POINT("imagecache.complete.afterCallbacks")
    SYNC_POINT("imagecache.complete.beforeDrop")
    end()
  }

  /// Releases the task, which ends the reference cycle of group, task and completion.
  private func end() {
    cache.lock?.lock()
    defer { cache.lock?.unlock() }
    section.write(synched: cache.lock != nil) { task = nil }
  }
}
