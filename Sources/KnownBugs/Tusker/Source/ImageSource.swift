/// Where images come from that are in no cache; what `URLSession` is for Tusker.
package protocol ImageSource: AnyObject, Sendable {
  /// Makes a task that loads what a URL names, and does not start it. The completion is called
  /// exactly once after `resume()`, on a thread of the source's.
  func makeTask(
    for url: String,
    completion: @escaping @Sendable (Result<[UInt8], ImageSourceError>) -> Void
  ) -> any ImageTask
}

/// A download. As with `URLSessionTask`, `cancel()` does not wait: the completion comes later, with
/// `ImageSourceError.cancelled`, or with what had arrived before.
package protocol ImageTask: AnyObject, Sendable {
  /// Starts the download.
  func resume()

  /// Asks for the download to end.
  func cancel()
}

/// Why a source has no data.
package enum ImageSourceError: Error, Sendable, Hashable {
  /// The task was cancelled.
  case cancelled
  /// The source does not take URLs of this kind.
  case unsupportedURL
  /// The server answered with this status.
  case status(Int)
  /// The server cannot be reached, broke off, or said something that is no answer.
  case connection(String)
}
