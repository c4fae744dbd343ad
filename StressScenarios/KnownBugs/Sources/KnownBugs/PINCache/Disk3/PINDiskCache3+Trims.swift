// After PINDiskCache.m of PINCache 3.0.4: -trimDiskToSize:, -trimDiskToSizeByEvictionStrategy:,
// -trimDiskToDate:, -removeExpiredObjects, -trimToAgeLimitRecursively.

import Dispatch
package import Foundation
import Interlock

extension PINDiskCache3 {
  /// Removes the largest files until the byte count is at most `size`; 0 removes everything.
  package func trimToSize(_ size: UInt) {
    if size == 0 { return removeAllObjects() }
    remove(keys(until: size) { ($0.value.size ?? 0) > ($1.value.size ?? 0) })
  }

  /// Removes files by the eviction strategy until the byte count is at most `size`; 0 removes
  /// everything.
  package func trimToSizeByEvictionStrategy(_ size: UInt) {
    if size == 0 { return removeAllObjects() }
    if options.isTTLCache { removeExpiredObjects() }
    let byCount = options.evictionStrategy == .leastFrequentlyUsed
    remove(
      keys(until: size) { first, second in
        if byCount, first.value.accessCount != second.value.accessCount {
          return first.value.accessCount < second.value.accessCount
        }
        return (first.value.modified ?? .distantPast) < (second.value.modified ?? .distantPast)
      })
  }

  /// Removes the files that were made before a date and have no age limit of their own; the distant
  /// past removes everything.
  package func trim(to date: Date) {
    if date == .distantPast { return removeAllObjects() }
    lockForWriting()
    let old = section.read(synched: true) {
      metadata
        .filter { $0.value.ageLimit <= 0 && ($0.value.created.map { $0 < date } ?? false) }
        .sorted { ($0.value.created ?? .distantPast) < ($1.value.created ?? .distantPast) }
        .map(\.key)
    }
    unlock()
    remove(old)
  }

  /// Removes files that are older than their age limit, or the cache's.
  package func removeExpiredObjects() {
    let now = Date()
    lockForWriting()
    let expired = section.read(synched: true) { metadata.keys.filter { isExpired($0, at: now) } }
    unlock()
    remove(expired)
  }

  /// The keys to remove, in this order, until the byte count is at most `size`: chosen under the
  /// lock, and removed one by one after it.
  private func keys(
    until size: UInt,
    by comesFirst: ((key: String, value: Metadata), (key: String, value: Metadata)) -> Bool
  ) -> [String] {
    lockForWriting()
    defer { unlock() }
    return section.read(synched: true) {
      guard byteCount > size else { return [] }
      var keys: [String] = []
      var saved: UInt = 0
      for (key, known) in metadata.sorted(by: comesFirst) {
        keys.append(key)
        saved &+= known.size ?? 0
        // As an `NSUInteger`: where the byte count has lost bytes this wraps around, and everything
        // goes.
        if byteCount &- saved <= size { break }
      }
      return keys
    }
  }

  private func remove(_ keys: [String]) {
    for key in keys { removeFileAndExecuteBlocks(forKey: key) }
  }

  /// Trims to the age limit now, and again after that interval; ends when the limit changes.
  func trimToAgeLimitRecursively(chain: UInt64) {
    lock()
    let limit = ageLimitNow
    unlock()
    guard limit > 0 else { return }
    trim(to: Date(timeIntervalSinceNow: -limit), completion: nil)
    DispatchQueue.global().asyncAfter(deadline: .now() + limit) { [self] in
      lock()
      // Repair: compare chain numbers; as shipped a limit that is set twice has two chains.
      let goesOn =
        changes.contains(.oneAgeChain) ? chain == ageChain : limit == ageLimitNow
      unlock()
      if goesOn {
        options.scheduler.schedule(.low) { self.trimToAgeLimitRecursively(chain: chain) }
      }
    }
  }
}
