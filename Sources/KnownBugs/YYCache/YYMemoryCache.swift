import Dispatch
import Interlock
import Synchronization

/// The memory cache of YYCache 1.0.4: a dictionary in the order of use, under a POSIX mutex.
///
/// It follows `objectForKey:`, `setObject:forKey:withCost:`, `removeObjectForKey:`,
/// `removeAllObjects` and `_trimToCost:`, `_trimToCount:`, `_trimToAge:` of YYMemoryCache.m. As
/// shipped, a value is read after the lock was given back; what `set` replaces or pushes out, and
/// what is removed all at once, dies under the lock unless it is released on a queue; trims take
/// the lock by trying, once for each entry, and sleep for 10 ms where it is taken; and every `set`
/// above the cost limit queues a trim of its own.
///
/// `@unchecked Sendable`: what changes is touched under `mutex` or `Atomic`, but for the read
/// outside the lock, which is what is modelled.
package final class YYMemoryCache: @unchecked Sendable {
  let repairs: YYMemoryRepairs
  let clock: @Sendable () -> Double
  let mutex = TryMutex()
  let map = YYLinkedMap()
  /// Trims run here.
  let queue = DispatchQueue(label: "yymemory.trims")

  // Objective-C's atomic properties: each is read and written whole, and orders nothing; so all are
  // relaxed.
  private let countLimitStored = Atomic(Int.max)
  private let costLimitStored = Atomic(Int.max)
  private let ageLimitStored = Atomic(Double.infinity.bitPattern)
  private let releasesAsynchronouslyStored = Atomic(true)
  private let releasesOnMainThreadStored = Atomic(false)

  /// Whether a trim has been asked for that has not begun; only touched under the mutex.
  var isTrimAskedFor = false
  /// How many trims that a `set` has asked for have not ended, now and at most. Relaxed: they only
  /// count.
  let trimsUnderWay = Atomic(0)
  let mostTrimsUnderWay = Atomic(0)
  /// Whether a trim waits for the mutex, and what the others queue up behind then (`trimsInTurn`).
  let doesTrimWait = Atomic(false)
  let turnstile = TryMutex()

  /// Makes an empty cache without limits.
  ///
  /// - Parameters:
  ///   - repairs: What is mended.
  ///   - autoTrimInterval: The seconds between two trims to the limits by itself; none where it is
  ///     not above 0.
  package convenience init(repairs: YYMemoryRepairs = [], autoTrimInterval: Double = 5) {
    self.init(
      repairs: repairs, autoTrimInterval: autoTrimInterval, clock: { SystemTime.uptime })
  }

  /// Makes an empty cache whose entries age by another clock, in seconds.
  package init(
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

  /// How many entries there may be; above it, `set` takes out the one longest unused.
  package var countLimit: Int {
    get { countLimitStored.load(ordering: .relaxed) }
    set { countLimitStored.store(newValue, ordering: .relaxed) }
  }

  /// What the entries may cost together; above it, `set` asks for a trim.
  package var costLimit: Int {
    get { costLimitStored.load(ordering: .relaxed) }
    set { costLimitStored.store(newValue, ordering: .relaxed) }
  }

  /// For how many seconds an entry may be unused before the next trim by itself takes it out.
  package var ageLimit: Double {
    get { Double(bitPattern: ageLimitStored.load(ordering: .relaxed)) }
    set { ageLimitStored.store(newValue.bitPattern, ordering: .relaxed) }
  }

  /// Whether what is taken out dies on a queue, and not on the thread that took it out.
  package var releasesAsynchronously: Bool {
    get { releasesAsynchronouslyStored.load(ordering: .relaxed) }
    set { releasesAsynchronouslyStored.store(newValue, ordering: .relaxed) }
  }

  /// Whether that queue is the main one.
  package var releasesOnMainThread: Bool {
    get { releasesOnMainThreadStored.load(ordering: .relaxed) }
    set { releasesOnMainThreadStored.store(newValue, ordering: .relaxed) }
  }

  /// How many entries there are.
  package var totalCount: Int { withMutex { map.count } }

  /// What all entries cost together. Never `nil`: the type is that of `Cache`.
  package var totalCost: Int? { withMutex { map.totalCost } }

  /// Whether there is an entry; its place in the order of use stays.
  package func containsObject(forKey key: String) -> Bool { withMutex { map.contains(key) } }

  /// The value of a key, which becomes the one used last.
  package func object(forKey key: String) -> (any YYObject)? {
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
    // As shipped: meanwhile another thread may put another value here, and the last reference to
    // this one go.
    return node.valueSection.read { node.value }
  }

  /// Stores a value, which becomes the one used last; `nil` removes.
  package func setObject(_ object: (any YYObject)?, forKey key: String, cost: Int = 0) {
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
        // As shipped: the last reference to the old value may go here, under the lock.
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

  /// Removes an entry. It dies after the lock was given back, in 1.0.4 too: there the variable that
  /// holds it is the function's, and not the block's.
  package func removeObject(forKey key: String) {
    lock()
    let node = map.remove(key)
    if let node { dispose(node) }
    mutex.unlock()
    withExtendedLifetime(node) {}
  }

  /// Removes every entry.
  package func removeAllObjects() {
    lock()
    let removed = removeAllUnderLock()
    mutex.unlock()
    withExtendedLifetime(removed) {}
  }

  /// What the system's memory warning does: everything goes.
  package func didReceiveMemoryWarning() { removeAllObjects() }

  /// Takes out everything; what comes back must outlive the lock.
  func removeAllUnderLock() -> AnyObject? {
    dispose(map.removeAll())
  }

  /// Takes the mutex; where a trim waits its turn, after it.
  @inline(__always)
  func lock() {
    // Acquiring, to pair with the trim that announces itself: whoever sees it queues up behind it.
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
