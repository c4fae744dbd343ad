import Foundation

/// A source whose downloads end when `deliver(_:for:)` is called, on its thread: a network as slow
/// as a test needs.
///
/// A cancelled task stays until then too, like `URLSession`'s between `cancel()` and the
/// completion.
///
/// `@unchecked Sendable`: all mutable state is under `lock`.
final class GatedImageSource: ImageSource, @unchecked Sendable {
  private final class Task: ImageTask {
    let url: String
    let completion: @Sendable (ImageResult) -> Void
    private let source: GatedImageSource
    // Under the source's lock.
    nonisolated(unsafe) var isCancelled = false
    nonisolated(unsafe) var isCounted = false

    init(
      _ source: GatedImageSource, _ url: String,
      _ completion: @escaping @Sendable (ImageResult) -> Void
    ) {
      (self.source, self.url, self.completion) = (source, url, completion)
    }

    func resume() {
      let result = source.lock.withLock {
        source.waiting[url, default: []].append(self)
        return source.results[url]
      }
      guard let result else { return }
      DispatchQueue.global().async { [source, url] in source.deliver(result, for: url) }
    }

    func cancel() {
      source.lock.withLock {
        isCancelled = true
        // Its data had already arrived, and may not have reached a caller: a caller that asks now
        // needs another download.
        if isCounted { source.downloads[url]? -= 1 }
        isCounted = false
      }
    }
  }

  private let lock = NSLock()
  private var waiting: [String: [Task]] = [:]
  private var downloads: [String: Int] = [:]
  /// The results of later downloads.
  private var results: [String: ImageResult] = [:]
  private let endsLaterDownloads: Bool

  /// With `endsLaterDownloads` a download that starts after `deliver(_:for:)` ends by itself, with
  /// the same result, so that each ends in every order.
  init(endsLaterDownloads: Bool = false) { self.endsLaterDownloads = endsLaterDownloads }

  func makeTask(
    for url: String, completion: @escaping @Sendable (ImageResult) -> Void
  ) -> any ImageTask {
    Task(self, url, completion)
  }

  /// Ends the started downloads of a URL, the oldest first: with this result, or as cancelled where
  /// they were. Calls the completions one after the other before it returns.
  func deliver(_ result: ImageResult, for url: String, atMost count: Int = .max) {
    let ended = lock.withLock {
      if endsLaterDownloads { results[url] = result }
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
