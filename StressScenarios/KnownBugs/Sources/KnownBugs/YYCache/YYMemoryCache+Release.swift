import Dispatch
import Foundation

/// Several nodes as one object, as the original passes its whole dictionary or an array.
private final class Removed<Nodes: Collection> {
  let nodes: Nodes

  init(_ nodes: Nodes) {
    self.nodes = nodes
  }
}

// Where removed objects are released. The original decides it under the lock: on a low-priority
// queue, on the main queue, or at once.
extension YYMemoryCache {
  /// Releases a removed object; called under the lock.
  ///
  /// - Returns: The object that the caller has to retain until it releases the lock
  ///   (`releasesOutsideLock`). As shipped `nil`: without a queue the object's `deinit` runs here,
  ///   under the lock.
  @discardableResult
  func dispose(_ object: AnyObject?) -> AnyObject? {
    guard let object else { return nil }
    if releasesAsynchronously || (releasesOnMainThread && !Thread.isMainThread) {
      releaseLater(object)
      return nil
    }
    return repairs.contains(.releasesOutsideLock) ? object : nil
  }

  /// Releases all entries at once.
  @discardableResult
  func dispose(_ nodes: [String: YYLinkedMapNode]) -> AnyObject? {
    nodes.isEmpty ? nil : dispose(Removed(nodes))
  }

  /// Releases a trim's entries on the queue, whatever the settings, as the original does.
  func releaseLater(_ nodes: [YYLinkedMapNode]) {
    if !nodes.isEmpty { releaseLater(Removed(nodes)) }
  }

  /// Releases an object on the queue.
  func releaseLater(_ object: AnyObject) {
    // Safe: no other code uses the object, and the block only releases it.
    nonisolated(unsafe) let object = object
    let queue = releasesOnMainThread ? DispatchQueue.main : DispatchQueue.global(qos: .utility)
    queue.async { withExtendedLifetime(object) {} }
  }
}
