import Caches
import Dispatch
import Foundation
import Interlock
import Synchronization

/// The memory cache of YYCache 1.0.4: a dictionary in the order of use, under a POSIX mutex.
///
/// The model follows YYMemoryCache.m. As shipped, a value is read after the lock is released;
/// objects that `set` replaces or evicts, or that are removed all at once, are released under the
/// lock unless that happens on a queue; trims use a try-lock for each entry, and sleep for 10 ms
/// when it fails; and every `set` above the cost limit queues another trim.
///
/// `@unchecked Sendable`: mutable state is under `mutex` or atomic, except for the read outside the
/// lock, which is the modelled bug.
final class YYMemoryCache: Cache, @unchecked Sendable {
  typealias CacheBlock = @Sendable (YYMemoryCache) -> Void

  let repairs: YYMemoryRepairs
  let mutex = PosixMutex()
  let map = YYLinkedMap()
  /// Trims run here.
  let queue = DispatchQueue(label: "yymemory.trims")

  // Objective-C's atomic properties, which order nothing: relaxed.
  private let countLimitStored = Atomic(Int.max)
  private let costLimitStored = Atomic(Int.max)
  private let releasesAsynchronouslyStored = Atomic(true)
  private let removesAllInBackgroundStored = Atomic(true)
  // Atomic properties as well: each read and each write takes a lock of its own.
  private let memoryWarningBlock = Mutex<CacheBlock?>(nil)
  private let backgroundBlock = Mutex<CacheBlock?>(nil)

  /// Whether a requested trim has not begun; only touched under the mutex.
  var isTrimAskedFor = false
  /// How many trims requested by `set` have not ended, now and at most. Relaxed: they only count.
  let trimsUnderWay = Atomic(0)
  let mostTrimsUnderWay = Atomic(0)
  /// Whether a trim waits for the mutex, and the lock that other callers then pass (`trimsInTurn`).
  let doesTrimWait = Atomic(false)
  let turnstile = PosixMutex()

  init(repairs: YYMemoryRepairs = []) { self.repairs = repairs }

  deinit {
    dispose(map.removeAll())
    mutex.destroy()
    turnstile.destroy()
  }

  /// How many entries there may be; above it, `set` removes the least recently used.
  var countLimit: Int {
    get { countLimitStored.load(ordering: .relaxed) }
    set { countLimitStored.store(newValue, ordering: .relaxed) }
  }

  /// The entries' cost above which `set` requests a trim.
  var costLimit: Int {
    get { costLimitStored.load(ordering: .relaxed) }
    set { costLimitStored.store(newValue, ordering: .relaxed) }
  }

  /// Whether removed objects are released on a queue, and not on the thread that removes them.
  var releasesAsynchronously: Bool {
    get { releasesAsynchronouslyStored.load(ordering: .relaxed) }
    set { releasesAsynchronouslyStored.store(newValue, ordering: .relaxed) }
  }

  /// Whether going into the background removes everything.
  var removesAllInBackground: Bool {
    get { removesAllInBackgroundStored.load(ordering: .relaxed) }
    set { removesAllInBackgroundStored.store(newValue, ordering: .relaxed) }
  }

  /// Called at a memory warning, before anything is removed, and without the lock.
  var didReceiveMemoryWarningBlock: CacheBlock? {
    get { memoryWarningBlock.withLock { $0 } }
    set { memoryWarningBlock.withLock { $0 = newValue } }
  }

  /// Called when the application goes into the background, before anything is removed, and without
  /// the lock.
  var didEnterBackgroundBlock: CacheBlock? {
    get { backgroundBlock.withLock { $0 } }
    set { backgroundBlock.withLock { $0 = newValue } }
  }

  /// Whether there is an entry; its place in the order of use stays.
  func containsObject(forKey key: String) -> Bool { withMutex { map.contains(key) } }

  /// The value of a key, which becomes the most recently used.
  func object(forKey key: String) -> CachedObject? {
    lock()
    let node = map.use(key)
    SYNC_POINT("yymemorycache.get.locked")
    guard let node else {
      mutex.unlock()
      return nil
    }
    if repairs.contains(.readsUnderLock) {
      let value = node.valueSection.read(synched: true) { node.value }
      mutex.unlock()
      SYNC_POINT("yymemorycache.get.unlocked")
      return value
    }
    mutex.unlock()
    SYNC_POINT("yymemorycache.get.unlocked")
    // As shipped: another thread may have replaced the value meanwhile, and released its last
    // reference.
    return node.valueSection.read { node.value }
  }

  /// Stores a value, which becomes the most recently used.
  func setObject(_ object: CachedObject, forKey key: String, cost: Int = 0) {
    var replaced: AnyObject?
    var pushedOut: AnyObject?
    lock()
    if let node = map.use(key) {
      map.setCost(cost, of: node)
      if repairs.contains(.releasesOutsideLock) { replaced = node.value }
      node.valueSection.write(synched: true) {
        SYNC_POINT("yymemorycache.set.replacing")
        // As shipped: the last reference to the old value may be released here, under the lock.
        node.value = object
      }
    } else {
      map.insert(YYLinkedMapNode(key: key, value: object, cost: cost))
    }
    if map.totalCost > costLimit { askForTrim() }
    if map.count > countLimit { pushedOut = dispose(map.removeTail()) }
    mutex.unlock()
    withExtendedLifetime((replaced, pushedOut)) {}
  }

  /// Removes an entry. It is released after the lock, in 1.0.4 too, whose function has a local
  /// variable that retains it.
  func removeValue(forKey key: String) {
    lock()
    let node = map.remove(key)
    if let node { dispose(node) }
    mutex.unlock()
    withExtendedLifetime(node) {}
  }

  func removeAllValues() {
    lock()
    let removed = removeAllUnderLock()
    mutex.unlock()
    withExtendedLifetime(removed) {}
  }

  /// The effect of a memory warning; the original observes the system's notification, here the user
  /// calls this.
  func didReceiveMemoryWarning() {
    call { didReceiveMemoryWarningBlock }
    removeAllValues()
  }

  /// The effect of the application's going into the background; as `didReceiveMemoryWarning`.
  func didEnterBackground() {
    call { didEnterBackgroundBlock }
    if removesAllInBackground { removeAllValues() }
  }

  /// As shipped the check and the call each read the property, which may be `nil` by the second
  /// time; and calling a `nil` block crashes.
  private func call(_ block: () -> CacheBlock?) {
    guard let found = block() else { return }
    SYNC_POINT("yymemorycache.notify.blockFound")
    if repairs.contains(.callsBlockOnce) { return found(self) }
    guard let called = block() else {
      fatalError("called a nil block: it was set to nil since it was looked at")
    }
    called(self)
  }

  /// Removes everything; the caller must retain the result until it has released the lock.
  func removeAllUnderLock() -> AnyObject? {
    dispose(map.removeAll())
  }

  /// Acquires the mutex; behind a waiting trim, if there is one.
  @inline(__always)
  func lock() {
    // Acquiring: pairs with the releasing store in `takeInTurn`.
    if repairs.contains(.trimsInTurn), doesTrimWait.load(ordering: .acquiring) {
      turnstile.lock()
      turnstile.unlock()
    }
    mutex.lock()
  }

  func withMutex<R>(_ body: () -> R) -> R {
    lock()
    defer { mutex.unlock() }
    return body()
  }

  // MARK: The calls of every cache

  func value(forKey key: String) -> [UInt8]? { object(forKey: key)?.bytes }

  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    setObject(CachedObject(value), forKey: key, cost: cost)
  }

  var count: Int { withMutex { map.count } }

  var totalCost: Int? { withMutex { map.totalCost } }

  func entries() -> [String: CacheEntry]? {
    withMutex {
      map.all.mapValues { node in
        let value = node.valueSection.read(synched: true) { node.value }
        return CacheEntry(value: value.bytes, cost: node.cost)
      }
    }
  }

  /// The keys according to the list, the most recently used first.
  var keysInOrder: [String] { withMutex { map.keysInOrder } }
}
