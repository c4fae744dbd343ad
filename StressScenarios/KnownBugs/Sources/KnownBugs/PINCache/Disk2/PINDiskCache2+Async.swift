// After PINDiskCache.m of PINCache 2.0: the methods with a `block:`, and the thread-safe accessors.

package import Foundation

extension PINDiskCache2 {
  /// Reads a key.
  package func object(forKey key: String, completion: ObjectBlock?) {
    options.scheduler.schedule(.low) { [self] in
      let object = object(forKey: key)
      complete(completion, key, object)
    }
  }

  /// Finds the path of a key's file, and notes a use.
  package func filePath(forKey key: String, completion: ObjectBlock?) {
    options.scheduler.schedule(.low) { [self] in
      let path = filePath(forKey: key)
      complete(completion, key, nil, path: path)
    }
  }

  /// Stores an object.
  package func setObject(_ object: PINObject, forKey key: String, completion: ObjectBlock?) {
    options.scheduler.schedule(.low) { [self] in
      let path = setObject(object, forKey: key)
      complete(completion, key, object, path: path)
    }
  }

  /// Removes a key.
  package func removeObject(forKey key: String, completion: ObjectBlock?) {
    options.scheduler.schedule(.low) { [self] in
      removeObject(forKey: key)
      complete(completion, key, nil)
    }
  }

  /// Removes the largest files.
  package func trimToSize(_ size: UInt, completion: CacheBlock?) {
    perform({ $0.trimToSize(size) }, completion)
  }

  /// Removes the files that were not used for the longest time.
  package func trimToSizeByDate(_ size: UInt, completion: CacheBlock?) {
    perform({ $0.trimToSizeByDate(size) }, completion)
  }

  /// Removes the files that were not used since a date.
  package func trim(to date: Date, completion: CacheBlock?) {
    perform({ $0.trim(to: date) }, completion)
  }

  /// Removes every file.
  package func removeAllObjects(completion: CacheBlock?) {
    perform({ $0.removeAllObjects() }, completion)
  }

  /// Shows each key and its file to `body`.
  package func enumerateObjects(
    _ body: @escaping @Sendable (_ key: String, _ path: String) -> Void, completion: CacheBlock?
  ) {
    perform({ $0.enumerateObjects(body) }, completion)
  }

  private func perform(
    _ work: @escaping @Sendable (PINDiskCache2) -> Void, _ completion: CacheBlock?
  ) {
    options.scheduler.schedule(.low) { [self] in
      work(self)
      guard completion != nil else { return }
      lock()
      tell(completion)
      unlock()
    }
  }

  /// Calls a completion under the lock, which the method has just released, so that the file is
  /// still there. Repair (pull request 97): `tell` releases the lock for the call.
  private func complete(
    _ completion: ObjectBlock?, _ key: String, _ object: PINObject?, path: String? = nil
  ) {
    guard completion != nil else { return }
    lock()
    tell(completion, key, object, path ?? folder.path(forKey: key))
    unlock()
  }

  // MARK: Settings

  /// Sets one of the six blocks, later.
  package func setEvent<Block: Sendable>(
    _ path: any WritableKeyPath<PINDiskEvents<PINDiskCache2>, Block?> & Sendable, _ block: Block?
  ) {
    options.scheduler.schedule(.low) { [self] in
      lock()
      events[keyPath: path] = block
      unlock()
    }
  }

  /// One of the six blocks.
  package func event<Block>(_ path: KeyPath<PINDiskEvents<PINDiskCache2>, Block?>) -> Block? {
    lock()
    defer { unlock() }
    return events[keyPath: path]
  }

  /// How many bytes the files may have together; 0 for no limit. Set later, and trims then.
  package var byteLimit: UInt {
    get {
      lock()
      defer { unlock() }
      return byteLimitNow
    }
    set {
      options.scheduler.schedule(.low) { [self] in
        lockForChange()
        byteLimitNow = newValue
        if newValue > 0 { trimDiskToSizeByDate(newValue) }
        unlockAfterChange()
      }
    }
  }

  /// How many seconds a file lives after its last use; 0 forever. Set later; then trims at once
  /// and again after each such interval.
  package var ageLimit: TimeInterval {
    get {
      lock()
      defer { unlock() }
      return ageLimitNow
    }
    set {
      options.scheduler.schedule(.low) { [self] in
        lock()
        ageLimitNow = newValue
        unlock()
        trimToAgeLimitRecursively()
      }
    }
  }
}
