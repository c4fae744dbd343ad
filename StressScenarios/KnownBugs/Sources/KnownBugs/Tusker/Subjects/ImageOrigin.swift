import Dispatch
import Foundation
import Synchronization

/// Published images, each download on one of six connections; all complete on one serial queue.
///
/// Six is `URLSession`'s limit for one host, and the queue of completions is like its own.
///
/// `@unchecked Sendable`: all mutable state is under `lock`.
final class ImageOrigin: ImageSource, @unchecked Sendable {
  private let lock = NSLock()
  private var images: [String: [UInt8]] = [:]
  private var downloads: [String: Int] = [:]
  /// Serial queues, so that a connection blocks no thread of the shared pool.
  private let connections = (0..<6).map { DispatchQueue(label: "images.connection-\($0)") }
  private var turn = 0
  private let completions = DispatchQueue(label: "images.completions")

  /// A download; one that is cancelled before its turn is not counted.
  private final class Task: ImageTask {
    private let start: @Sendable (Task) -> Void
    private let cancelled = Atomic(false)

    init(start: @escaping @Sendable (Task) -> Void) { self.start = start }

    func resume() { start(self) }

    // Relaxed: `cancel()` orders nothing, and the download may have ended already.
    func cancel() { cancelled.store(true, ordering: .relaxed) }

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }
  }

  func publish(_ image: [UInt8], under key: String) { lock.withLock { images[key] = image } }

  func makeTask(
    for url: String, completion: @escaping @Sendable (ImageResult) -> Void
  ) -> any ImageTask {
    let connection = lock.withLock {
      turn += 1
      return connections[turn % connections.count]
    }
    return Task { [self] task in
      connection.async { [self] in
        let result = task.isCancelled ? .failure(.cancelled) : download(url)
        completions.async { completion(result) }
      }
    }
  }

  private func download(_ url: String) -> ImageResult {
    lock.withLock {
      downloads[url, default: 0] += 1
      return images[url].map { .success($0) } ?? .failure(.status(404))
    }
  }

  /// The number of downloads of each URL.
  var downloadsByURL: [String: Int] { lock.withLock { downloads } }
}
