import Foundation

/// A server on loopback, and the images published there.
///
/// `@unchecked Sendable`: all mutable state is under its lock.
final class ImageOrigin: Sendable {
  private final class Shelf: @unchecked Sendable {
    let lock = NSLock()
    var images: [String: [UInt8]] = [:]
  }

  private let shelf: Shelf
  private let server: LoopbackImageServer

  init() {
    let shelf = Shelf()
    self.shelf = shelf
    do {
      server = try LoopbackImageServer { path in
        shelf.lock.withLock { shelf.images[String(path.dropFirst())] }
      }
    } catch {
      fatalError("there is no socket for the server: \(error)")
    }
  }

  func publish(_ image: [UInt8], under key: String) {
    shelf.lock.withLock { shelf.images[key] = image }
  }

  func url(_ key: String) -> String { server.url("/\(key)") }

  /// How often each key was requested.
  var downloadsByKey: [String: Int] {
    Dictionary(
      server.requestsByPath.map { (String($0.key.dropFirst()), $0.value) }, uniquingKeysWith: +)
  }

  func stop() { server.stop() }
}
