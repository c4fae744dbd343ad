import Dispatch
import Foundation

/// The model of a view: the main queue reads it, and its loader tells the main queue of news.
public final class FeedModel: @unchecked Sendable {
  private let lock = NSLock()
  private var items: [Int] = []

  /// Makes an empty feed.
  public init() {}

  /// How many items the view shows.
  @MainActor public var count: Int {
    lock.withLock { items.count }  // red: its owner may wait for the main queue
  }

  /// The newest item.
  public func last() -> Int {
    lock.withLock { items[items.count - 1] }  // second: traps without items
  }

  /// Appends an item, and tells the view.
  public func load(_ item: Int) {
    lock.withLock {
      items.append(item)
      DispatchQueue.main.sync {}
    }
  }
}
