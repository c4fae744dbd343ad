import Dispatch
import Interlock

// The forms with a block, on the concurrent queue.
extension YYDiskCache {
  /// Reads, and calls `completion` on the queue.
  func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    onQueue { completion($0?.value(forKey: key)) }
  }

  /// Stores, and calls `completion` on the queue; as shipped also if the cache was freed and
  /// nothing stored.
  func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    onQueue {
      $0?.setValue(value, forKey: key)
      completion()
    }
  }

  /// Removes, and calls `completion` on the queue.
  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    onQueue {
      $0?.removeValue(forKey: key)
      completion()
    }
  }

  /// Removes everything in batches, and reports its progress.
  ///
  /// As shipped, both blocks are called under the lock: a block that calls the cache deadlocks.
  /// Repaired, the lock is released for each call of a block, and other calls may run between them.
  /// - Parameters:
  ///   - progress: Called with the number of removed entries, and the number at the beginning.
  ///   - end: Called at the end; `failed` says whether the database failed.
  func removeAllValues(
    progress: (@Sendable (_ removed: Int, _ total: Int) -> Void)?,
    end: (@Sendable (_ failed: Bool) -> Void)?
  ) {
    onQueue { cache in
      guard let cache else {
        end?(true)
        return
      }
      if cache.options.repairs.contains(.callsBackUnlocked) {
        removeInBatches(in: cache.withStorage, progress: progress, end: end)
      } else {
        cache.withStorage { storage in
          removeInBatches(in: { $0(storage) }, progress: progress, end: end)
        }
      }
    }
  }

  /// Runs `body` on the queue with the cache; as shipped with `nil` if the cache was freed.
  private func onQueue(_ body: @escaping @Sendable (YYDiskCache?) -> Void) {
    if options.repairs.contains(.keepsCacheAlive) {
      queue.async { [self] in
        SYNC_POINT("yydiskcache.block.begins")
        body(self)
      }
    } else {
      queue.async { [weak self] in
        SYNC_POINT("yydiskcache.block.begins")
        body(self)
      }
    }
  }
}

/// `removeAllItemsWithProgressBlock:endBlock:`; `inStorage` runs its block under the lock.
private func removeInBatches(
  in inStorage: ((YYKVStorage) -> Int?) -> Int?,
  progress: ((_ removed: Int, _ total: Int) -> Void)?, end: ((_ failed: Bool) -> Void)?
) {
  let total = inStorage { $0.count } ?? -1
  var removed = 0
  var hasFailed = total < 0
  while removed < total, !hasFailed {
    let count = inStorage { $0.removeBatch() }
    hasFailed = count == nil
    guard let count, count > 0 else { break }
    removed += count
    progress?(min(removed, total), total)
  }
  if !hasFailed {
    _ = inStorage {
      $0.checkpoint()
      return nil
    }
  }
  end?(hasFailed)
}
