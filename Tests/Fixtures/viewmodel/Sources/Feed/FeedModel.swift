import Dispatch
import Foundation

/// The model of a view: the main queue reads it, and its loader tells the main queue of news.
public final class FeedModel: @unchecked Sendable {
  private let lock = NSLock()
  private var items: [Int] = []

  /// Makes an empty feed.
  public init() {}

  /// How many items the view shows.
  @MainActor public var count: Int { lock.withLock { items.count } }

  /// Appends an item, and tells the view.
  public func load(_ item: Int) {
    lock.withLock {
      items.append(item)
      DispatchQueue.main.sync {}  // red: waits for the main queue, which waits for the lock
    }
  }
}
