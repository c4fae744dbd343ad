/// The source of images that no cache has; Tusker uses `URLSession`.
protocol ImageSource: AnyObject, Sendable {
  /// Makes a task that loads a URL, and does not start it. The completion is called exactly once
  /// after `resume()`, on a thread of the source.
  func makeTask(
    for url: String, completion: @escaping @Sendable (ImageResult) -> Void
  ) -> any ImageTask
}

/// A download. As with `URLSessionTask`, `cancel()` does not wait: the completion is called later,
/// with `ImageSourceError.cancelled`, or with data that had already arrived.
protocol ImageTask: AnyObject, Sendable {
  func resume()
  func cancel()
}

/// Why a source has no data.
enum ImageSourceError: Error, Sendable, Hashable {
  case cancelled
  /// The server answered with this status.
  case status(Int)
}
