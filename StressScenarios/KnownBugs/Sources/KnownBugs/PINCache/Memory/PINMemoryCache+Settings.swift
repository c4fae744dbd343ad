// After PINMemoryCache.m of PINCache 3.0.4: the thread-safe accessors,
// -didReceiveMemoryWarningNotification:, -didReceiveEnterBackgroundNotification:.

package import Foundation

/// What the cache does when the system asks for memory, or the application goes into the
/// background.
package struct PINMemoryPressure: Sendable {
  /// Whether a memory warning removes everything.
  package var removesAllOnWarning = true
  /// Whether going into the background removes everything.
  package var removesAllInBackground = true
  /// Called after a memory warning.
  package var didReceiveWarning: PINMemoryCache.CacheBlock?
  /// Called after the application went into the background.
  package var didEnterBackground: PINMemoryCache.CacheBlock?
}

extension PINMemoryCache {
  /// Sets one of the six blocks, under the lock.
  package func setEvent<Block>(
    _ path: WritableKeyPath<PINEvents<PINMemoryCache>, Block?>, _ block: Block?
  ) {
    locked { events[keyPath: path] = block }
  }

  /// One of the six blocks.
  package func event<Block>(_ path: KeyPath<PINEvents<PINMemoryCache>, Block?>) -> Block? {
    locked { events[keyPath: path] }
  }

  /// Changes what memory pressure does.
  package func updatePressure(_ change: (inout PINMemoryPressure) -> Void) {
    locked { change(&pressure) }
  }

  /// How much the objects may cost together; 0 for no limit. Setting one evicts objects above it.
  package var costLimit: UInt {
    get { locked { costLimitNow } }
    set {
      locked { costLimitNow = newValue }
      if newValue > 0 { trimToCostByEvictionStrategy(newValue) }
    }
  }

  /// How many seconds an object lives; 0 forever. Setting one trims at once and again after each
  /// such interval.
  package var ageLimit: TimeInterval {
    get { locked { ageLimitNow } }
    set {
      let chain = locked {
        ageLimitNow = newValue
        ageChain &+= 1
        return ageChain
      }
      trimToAgeLimitRecursively(chain: chain)
    }
  }

  /// The effect of a memory warning; the original observes the system's notification, here the user
  /// calls this.
  package func didReceiveMemoryWarning() {
    if locked({ pressure.removesAllOnWarning }) {
      removeAllObjects(completion: nil)
    } else if version == .three {
      removeExpiredObjects()
    }
    scheduler.schedule(.high) { [self] in locked { pressure.didReceiveWarning }?(self) }
  }

  /// The background's effect; the original observes the system's notification, here the
  /// user calls this.
  package func didEnterBackground() {
    if locked({ pressure.removesAllInBackground }) { removeAllObjects(completion: nil) }
    scheduler.schedule(.high) { [self] in locked { pressure.didEnterBackground }?(self) }
  }
}
