import Foundation
import Interlock

/// Claims to be safe: every method but one takes the lock.
public final class ImageStore: @unchecked Sendable {
  private let lock = NSLock()
  @Tracked private var images: [String: [UInt8]] = [:]

  /// Makes an empty store.
  public init() {}

  /// Keeps the bytes of an image.
  public func store(_ bytes: [UInt8], for key: String) {
    lock.withLock { images[key] = bytes }
  }

  /// Reads an image; `nil` for none.
  public func image(for key: String) -> [UInt8]? {
    lock.withLock { images[key] }
  }

  /// Whether there is an image.
  public func contains(_ key: String) -> Bool {
    images[key] != nil  // red: without the lock
  }

  /// Forgets all images.
  public func removeAll() {
    images = [:]  // second: without the lock
  }
}
