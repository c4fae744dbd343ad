// After PINDiskCache.m of PINCache 3.0.4: the methods that end in Async, and the thread-safe
// accessors.

package import Foundation
import Interlock

extension PINDiskCache3 {
  /// Checks whether a key has a file.
  package func containsObject(
    forKey key: String, completion: @escaping @Sendable (Bool) -> Void
  ) {
    options.scheduler.schedule(.low) { completion(self.containsObject(forKey: key)) }
  }

  /// Reads a key.
  package func object(forKey key: String, completion: ObjectBlock?) {
    options.scheduler.schedule(.low) { [self] in
      let object = object(forKey: key)
      completion?(self, key, object, nil)
    }
  }

  /// Finds the path of a key's file, and notes a use. The completion runs under the lock, so that
  /// the file is still there: it must not call the cache, as the original's header says.
  package func filePath(
    forKey key: String,
    completion: @escaping @Sendable (_ key: String, _ path: String?) -> Void
  ) {
    options.scheduler.schedule(.low) { [self] in
      let path = filePath(forKey: key)
      lockForWriting()
      completion(key, path)
      unlock()
    }
  }

  /// Stores an object.
  package func setObject(
    _ object: PINObject, forKey key: String, ageLimit: TimeInterval = 0, completion: ObjectBlock?
  ) {
    options.scheduler.schedule(.low) { [self] in
      let path = setObject(object, forKey: key, ageLimit: ageLimit)
      completion?(self, key, object, path)
    }
  }

  /// Removes a key.
  package func removeObject(forKey key: String, completion: ObjectBlock?) {
    options.scheduler.schedule(.low) { [self] in
      removeObject(forKey: key)
      completion?(self, key, nil, nil)
    }
  }

  /// Removes the largest files. Waiting trims run as one, to the smallest size.
  package func trimToSize(_ size: UInt, completion: CacheBlock?) {
    trim("trim to size", Double(size), completion) { $0.trimToSize(UInt($1)) }
  }

  /// Removes files by the eviction strategy. Waiting trims run as one, to the smallest size.
  package func trimToSizeByEvictionStrategy(_ size: UInt, completion: CacheBlock?) {
    trim("trim to size by date", Double(size), completion) {
      $0.trimToSizeByEvictionStrategy(UInt($1))
    }
  }

  /// Removes the files that were made before a date. Waiting trims run as one, to the latest date.
  package func trim(to date: Date, completion: CacheBlock?) {
    trim("trim to date", date.timeIntervalSinceReferenceDate, completion, merge: max) {
      $0.trim(to: Date(timeIntervalSinceReferenceDate: $1))
    }
  }

  private func trim(
    _ identifier: String, _ data: Double, _ completion: CacheBlock?,
    merge: @escaping @Sendable (Double, Double) -> Double = min,
    work: @escaping @Sendable (PINDiskCache3, Double) -> Void
  ) {
    options.scheduler.schedule(
      .low, identifier: identifier, data: data, merge: merge, work: { work(self, $0) },
      completion: { completion?(self) })
  }

  /// Removes files that are older than their age limit, or the cache's.
  package func removeExpiredObjects(completion: CacheBlock?) {
    perform({ $0.removeExpiredObjects() }, completion)
  }

  /// Removes every file.
  package func removeAllObjects(completion: CacheBlock?) {
    perform({ $0.removeAllObjects() }, completion)
  }

  /// Shows each key and its file to `body`.
  package func enumerateObjects(
    _ body: @escaping @Sendable (_ key: String, _ path: String) -> Bool, completion: CacheBlock?
  ) {
    perform({ $0.enumerateObjects(body) }, completion)
  }

  /// Runs `body` later, with exclusive access to the files.
  package func lockFileAccess(whileExecuting body: @escaping CacheBlock) {
    perform({ $0.synchronouslyLockFileAccess(whileExecuting: body) }, nil)
  }

  private func perform(
    _ work: @escaping @Sendable (PINDiskCache3) -> Void, _ completion: CacheBlock?
  ) {
    options.scheduler.schedule(.low) {
      work(self)
      completion?(self)
    }
  }

  // MARK: Settings

  /// Sets one of the six blocks, later.
  package func setEvent<Block: Sendable>(
    _ path: any WritableKeyPath<PINDiskEvents<PINDiskCache3>, Block?> & Sendable, _ block: Block?
  ) {
    options.scheduler.schedule(.high) { [self] in
      lock()
      blocks.write(synched: true) { events[keyPath: path] = block }
      unlock()
    }
  }

  /// One of the six blocks.
  package func event<Block>(_ path: KeyPath<PINDiskEvents<PINDiskCache3>, Block?>) -> Block? {
    lock()
    defer { unlock() }
    return blocks.read(synched: true) { events[keyPath: path] }
  }

  /// How many bytes the files may have together; 0 for no limit. Set later, and trims then.
  package var byteLimit: UInt {
    get {
      lock()
      defer { unlock() }
      return byteLimitNow
    }
    set {
      options.scheduler.schedule(.high) { [self] in
        lock()
        byteLimitNow = newValue
        unlock()
        if newValue > 0 { trimToSizeByEvictionStrategy(newValue) }
      }
    }
  }

  /// How many seconds a file lives; 0 forever. Set later; then trims at once and again after each
  /// such interval.
  package var ageLimit: TimeInterval {
    get {
      lock()
      defer { unlock() }
      return ageLimitNow
    }
    set {
      options.scheduler.schedule(.high) { [self] in
        lock()
        ageLimitNow = newValue
        ageChain &+= 1
        let chain = ageChain
        unlock()
        options.scheduler.schedule(.low) { self.trimToAgeLimitRecursively(chain: chain) }
      }
    }
  }

  /// Whether reads hide what is older than its age limit.
  package var isTTLCache: Bool { options.isTTLCache }
}
