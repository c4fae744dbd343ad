import Foundation
import Interlock

/// Everybody who waits for one download: requests with a callback, and a number of those without.
///
/// Follows the seed article: `cancel()` takes out one request, and the URL task is cancelled when
/// none is left, with or without a callback. When the download ends: store, call back, drop the
/// group. A cancelled task completes later, on the source's thread, and the group stays in the
/// dictionary until then.
///
/// `@unchecked Sendable`: as shipped, nothing guards the members but the sections that tell of it;
/// repaired, the cache's lock does.
final class RequestGroup: @unchecked Sendable {
  let url: String
  // A cycle only while the group is in the cache's dictionary, as with `URLSession` and its
  // delegate.
  private let cache: ImageCache
  private let section = Section("imagecache.requestGroup")
  private var requests: [ImageRequest] = []
  private var withoutCallback = 0
  private var task: (any ImageTask)?

  init(_ url: String, cache: ImageCache, source: any ImageSource) {
    self.url = url
    self.cache = cache
    task = source.makeTask(for: url) { [self] outcome in complete(outcome) }
  }

  /// Adds a request, or one without a callback. Repaired, the caller has the cache's lock.
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
      // Repaired, the request has forgotten it by itself.
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

  /// Takes somebody out, and cancels the task if nobody is left.
  private func cancel(_ takeOut: () -> Bool) {
    cache.lock?.lock()
    let ended = section.write(synched: cache.lock != nil) {
      takeOut() && requests.isEmpty && withoutCallback == 0 ? task : nil
    }
    // The fix: whoever comes from now on finds no dying group to join (AlamofireImage's issue 121).
    if ended != nil, cache.lock != nil { cache.drop(self) }
    cache.lock?.unlock()
    ended?.cancel()
  }

  private func complete(_ outcome: ImageRequest.Outcome) {
    SYNC_POINT("imagecache.complete.begins")
    if case .success(let data) = outcome {
      // A disk that takes nothing does not keep the image from those who wait for it.
      try? cache.store.set(data, forKey: url, cost: data.count)
    }
    if let lock = cache.lock {
      completeAtOnce(outcome, lock)
    } else {
      completeAsShipped(outcome)
    }
  }

  private func completeAsShipped(_ outcome: ImageRequest.Outcome) {
    let callbacks = section.read { requests.compactMap(\.currentCallback) }
    SYNC_POINT("imagecache.complete.afterCopy")
    SYNC_POINT("imagecache.complete.beforeCallbacks")
    for callback in callbacks { callback(outcome) }
    SYNC_POINT("imagecache.complete.afterCallbacks")
    SYNC_POINT("imagecache.complete.beforeDrop")
    // By its URL, whatever group is there by now, and whoever has joined this one since the copy.
    cache.drop(self)
    end()
  }

  /// The fix: the requests are taken out, and the group out of the dictionary, in one step, so that
  /// nobody joins in between (SDWebImage's commit a2b3a57b); and each callback is taken by whoever
  /// comes first, this thread or `cancel()` (Kingfisher's pull request 2319).
  private func completeAtOnce(_ outcome: ImageRequest.Outcome, _ lock: NSLock) {
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

  /// Lets go of the task, and with it of the cycle of group, task and completion.
  private func end() {
    cache.lock?.lock()
    defer { cache.lock?.unlock() }
    section.write(synched: cache.lock != nil) { task = nil }
  }
}
