import Dispatch
import Interlock
import Synchronization

/// The memory cache of YYCache 1.0.4: a dictionary in the order of use, under a POSIX mutex.
///
/// It follows `objectForKey:`, `setObject:forKey:withCost:`, `removeObjectForKey:`,
/// `removeAllObjects` and `_trimToCost:`, `_trimToCount:`, `_trimToAge:` of YYMemoryCache.m. As
/// shipped, a value is read after the lock is released; objects that `set` replaces or evicts, or
/// that are removed all at once, are released under the lock unless that happens on a queue; trims
/// use a try-lock for each entry, and sleep for 10 ms when it fails; and every `set` above the cost
/// limit queues another trim.
///
/// `@unchecked Sendable`: mutable state is under `mutex` or atomic, except for the read outside the
/// lock, which is the modelled bug.
final class YYMemoryCache: @unchecked Sendable {
  /// Called with the cache.
  typealias CacheBlock = @Sendable (YYMemoryCache) -> Void

  let repairs: YYMemoryRepairs
  let clock: @Sendable () -> Double
  let mutex = TryMutex()
  let map = YYLinkedMap()
  /// Trims run here.
  let queue = DispatchQueue(label: "yymemory.trims")

  // Objective-C's atomic properties, which order nothing: relaxed.
  private let countLimitStored = Atomic(Int.max)
  private let costLimitStored = Atomic(Int.max)
  private let ageLimitStored = Atomic(Double.infinity.bitPattern)
  private let releasesAsynchronouslyStored = Atomic(true)
  private let releasesOnMainThreadStored = Atomic(false)

  // Atomic properties as well: each read and each write takes a lock of its own.
  private let removesAllOnMemoryWarningStored = Atomic(true)
  private let removesAllInBackgroundStored = Atomic(true)
  private let memoryWarningBlock = Mutex<CacheBlock?>(nil)
  private let backgroundBlock = Mutex<CacheBlock?>(nil)

  /// Whether a requested trim has not begun; only touched under the mutex.
  var isTrimAskedFor = false
  /// How many trims requested by `set` have not ended, now and at most. Relaxed: they only count.
  let trimsUnderWay = Atomic(0)
  let mostTrimsUnderWay = Atomic(0)
  /// Whether a trim waits for the mutex, and the lock that other callers then pass (`trimsInTurn`).
  let doesTrimWait = Atomic(false)
  let turnstile = TryMutex()

  /// Makes an empty cache without limits.
  ///
  /// - Parameters:
  ///   - repairs: The repairs.
  ///   - autoTrimInterval: The seconds between two automatic trims to the limits; 0 or less for
  ///     none.
  convenience init(repairs: YYMemoryRepairs = [], autoTrimInterval: Double = 5) {
    self.init(
      repairs: repairs, autoTrimInterval: autoTrimInterval, clock: { SystemTime.uptime })
  }

  /// Makes an empty cache whose entries age by another clock, in seconds.
  init(
    repairs: YYMemoryRepairs, autoTrimInterval: Double, clock: @escaping @Sendable () -> Double
  ) {
    self.repairs = repairs
    self.clock = clock
    if autoTrimInterval > 0 { trimAgain(after: autoTrimInterval) }
  }

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

  /// What the entries may cost together; above it, `set` requests a trim.
  var costLimit: Int {
    get { costLimitStored.load(ordering: .relaxed) }
    set { costLimitStored.store(newValue, ordering: .relaxed) }
  }

  /// For how many seconds an entry may be unused before the next automatic trim removes it.
  var ageLimit: Double {
    get { Double(bitPattern: ageLimitStored.load(ordering: .relaxed)) }
    set { ageLimitStored.store(newValue.bitPattern, ordering: .relaxed) }
  }

  /// Whether removed objects are released on a queue, and not on the thread that removes them.
  var releasesAsynchronously: Bool {
    get { releasesAsynchronouslyStored.load(ordering: .relaxed) }
    set { releasesAsynchronouslyStored.store(newValue, ordering: .relaxed) }
  }

  /// Whether that queue is the main one.
  var releasesOnMainThread: Bool {
    get { releasesOnMainThreadStored.load(ordering: .relaxed) }
    set { releasesOnMainThreadStored.store(newValue, ordering: .relaxed) }
  }

  /// Whether a memory warning removes everything.
  var removesAllOnMemoryWarning: Bool {
    get { removesAllOnMemoryWarningStored.load(ordering: .relaxed) }
    set { removesAllOnMemoryWarningStored.store(newValue, ordering: .relaxed) }
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

  /// How many entries there are.
  var totalCount: Int { withMutex { map.count } }

  /// What all entries cost together. Never `nil`; `Cache` requires the optional.
  var totalCost: Int? { withMutex { map.totalCost } }

  /// Whether there is an entry; its place in the order of use stays.
  func containsObject(forKey key: String) -> Bool { withMutex { map.contains(key) } }

  /// The value of a key, which becomes the most recently used.
  func object(forKey key: String) -> (any YYObject)? {
    lock()
    let node = map.use(key, clock)
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

  /// Stores a value, which becomes the most recently used; `nil` removes.
  func setObject(_ object: (any YYObject)?, forKey key: String, cost: Int = 0) {
    guard let object else {
      removeObject(forKey: key)
      return
    }
    var replaced: AnyObject?
    var pushedOut: AnyObject?
    lock()
    if let node = map.use(key, clock) {
      map.setCost(cost, of: node)
      if repairs.contains(.releasesOutsideLock) { replaced = node.value }
      node.valueSection.write(synched: true) {
        SYNC_POINT("yymemorycache.set.replacing")
        // As shipped: the last reference to the old value may be released here, under the lock.
        node.value = object
      }
    } else {
      map.insert(YYLinkedMapNode(key: key, value: object, cost: cost, time: clock()))
    }
    if map.totalCost > costLimit { askForTrim() }
    if map.count > countLimit { pushedOut = dispose(map.removeTail()) }
    mutex.unlock()
    withExtendedLifetime((replaced, pushedOut)) {}
  }

  /// Removes an entry. It is released after the lock, in 1.0.4 too, whose function has a local
  /// variable that retains it.
  func removeObject(forKey key: String) {
    lock()
    let node = map.remove(key)
    if let node { dispose(node) }
    mutex.unlock()
    withExtendedLifetime(node) {}
  }

  /// Removes every entry.
  func removeAllObjects() {
    lock()
    let removed = removeAllUnderLock()
    mutex.unlock()
    withExtendedLifetime(removed) {}
  }

  /// The effect of a memory warning; the original observes the system's notification, here the user
  /// calls this.
  func didReceiveMemoryWarning() {
    call { didReceiveMemoryWarningBlock }
    if removesAllOnMemoryWarning { removeAllObjects() }
  }

  /// The background's effect; the original observes the system's notification, here the
  /// user calls this.
  func didEnterBackground() {
    call { didEnterBackgroundBlock }
    if removesAllInBackground { removeAllObjects() }
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
}
