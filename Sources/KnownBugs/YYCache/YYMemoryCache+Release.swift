import Dispatch
import Foundation

/// Several nodes as one object: the original hands its dictionary, or an array, over whole.
private final class Removed<Nodes: Collection> {
  let nodes: Nodes

  init(_ nodes: Nodes) {
    self.nodes = nodes
  }
}

// Where what is taken out dies. The original decides it under the lock: on a queue of low priority
// or the main one, or right there.
extension YYMemoryCache {
  /// Lets go of something that was taken out; called under the lock.
  ///
  /// - Returns: What the caller has to keep until it has given the lock back
  ///   (`releasesOutsideLock`). As shipped nothing: without a queue, the object's end is here, and
  ///   so is whatever that calls.
  @discardableResult
  func dispose(_ object: AnyObject?) -> AnyObject? {
    guard let object else { return nil }
    if releasesAsynchronously || (releasesOnMainThread && !Thread.isMainThread) {
      releaseLater(object)
      return nil
    }
    return repairs.contains(.releasesOutsideLock) ? object : nil
  }

  /// Lets go of all entries at once.
  @discardableResult
  func dispose(_ nodes: [String: YYLinkedMapNode]) -> AnyObject? {
    nodes.isEmpty ? nil : dispose(Removed(nodes))
  }

  /// Hands what a trim took out to that queue, whatever else is said: the original does so in a
  /// trim.
  func releaseLater(_ nodes: [YYLinkedMapNode]) {
    if !nodes.isEmpty { releaseLater(Removed(nodes)) }
  }

  /// Hands an object to the queue that it is to die on.
  func releaseLater(_ object: AnyObject) {
    // Unsafe only in name: nobody else uses it any more, and the block only lets it go.
    nonisolated(unsafe) let object = object
    let queue = releasesOnMainThread ? DispatchQueue.main : DispatchQueue.global(qos: .utility)
    queue.async { withExtendedLifetime(object) {} }
  }
}
