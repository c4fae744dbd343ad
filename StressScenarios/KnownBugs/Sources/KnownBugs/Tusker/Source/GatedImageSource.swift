import Foundation

/// Why a source has no data.
enum ImageSourceError: Error, Sendable, Hashable {
  case cancelled
  /// The server has no such image.
  case notFound
}

/// An image's data, or why there is none.
typealias ImageResult = Result<[UInt8], ImageSourceError>

/// A download. As with `URLSessionTask`, `cancel()` does not wait: the completion is called later,
/// as cancelled, or with data that had already arrived.
final class ImageTask: Sendable {
  let url: String
  let completion: @Sendable (ImageResult) -> Void
  private let source: GatedImageSource
  // Under the source's lock.
  nonisolated(unsafe) var isCancelled = false
  nonisolated(unsafe) var isCounted = false

  /// Makes a task that loads a URL, and does not start it.
  init(
    _ source: GatedImageSource, _ url: String,
    completion: @escaping @Sendable (ImageResult) -> Void
  ) {
    (self.source, self.url, self.completion) = (source, url, completion)
  }

  func resume() { source.start(self) }

  func cancel() { source.cancel(self) }
}

/// The source of images that no cache has; Tusker uses `URLSession`. A download ends when
/// `deliver(_:for:)` is called, on its thread: a network as slow as a test needs.
///
/// A cancelled task stays until then too, like `URLSession`'s between `cancel()` and the
/// completion.
///
/// `@unchecked Sendable`: all mutable state is under `lock`.
final class GatedImageSource: @unchecked Sendable {
  /// The downloads that end by themselves, on a thread of Dispatch.
  enum Ending: Sendable {
    case none
    /// Downloads that start after `deliver(_:for:)`, with the same result, so that each ends in
    /// every order.
    case later
    /// All downloads, with the published results.
    case all
  }

  private let lock = NSLock()
  private var waiting: [String: [ImageTask]] = [:]
  private var downloads: [String: Int] = [:]
  /// The results of downloads that end by themselves.
  private var results: [String: ImageResult] = [:]
  private let ending: Ending

  init(ending: Ending = .none) { self.ending = ending }

  func publish(_ data: [UInt8], under url: String) {
    lock.withLock { results[url] = .success(data) }
  }

  fileprivate func start(_ task: ImageTask) {
    let result = lock.withLock {
      waiting[task.url, default: []].append(task)
      return results[task.url] ?? (ending == .all ? .failure(.notFound) : nil)
    }
    guard let result else { return }
    DispatchQueue.global().async { self.deliver(result, for: task.url) }
  }

  fileprivate func cancel(_ task: ImageTask) {
    lock.withLock {
      task.isCancelled = true
      // The data had already arrived, but may not have reached a caller: a caller that asks now
      // needs another download.
      if task.isCounted { downloads[task.url]? -= 1 }
      task.isCounted = false
    }
  }

  /// Ends the started downloads of a URL, the oldest first, with this result; a cancelled download
  /// ends as cancelled. Calls the completions one after the other before it returns.
  func deliver(_ result: ImageResult, for url: String, atMost count: Int = .max) {
    let ended = lock.withLock {
      if ending == .later { results[url] = result }
      let started = waiting.removeValue(forKey: url) ?? []
      if started.count > count { waiting[url] = Array(started.dropFirst(count)) }
      let ended = started.prefix(count).map { ($0, $0.isCancelled) }
      downloads[url, default: 0] += ended.count { !$0.1 }
      for (task, isCancelled) in ended { task.isCounted = !isCancelled }
      return ended
    }
    for (task, isCancelled) in ended {
      task.completion(isCancelled ? .failure(.cancelled) : result)
    }
  }

  /// How many downloads of a URL are under way, including cancelled ones.
  func pending(_ url: String) -> Int { lock.withLock { waiting[url]?.count ?? 0 } }

  /// How many downloads of each URL have ended without having been cancelled, before or since.
  var downloadsByURL: [String: Int] { lock.withLock { downloads } }
}
