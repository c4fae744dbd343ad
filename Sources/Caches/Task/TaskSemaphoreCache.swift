/// A synchronous interface to an actor: each call starts a task and waits on a semaphore that the
/// task signals.
///
/// Synchronous code uses this pattern to call `async` code, but Swift's concurrency forbids it: a
/// task's thread must always be able to make progress.
///
/// **1,000 reads from tasks**: Swift's pool has as many threads as there are processors, for each
/// priority, and never grows, on Linux and on Apple's systems alike. Once each of them waits for a
/// task that is queued behind it, they wait forever. **From a Dispatch queue** the callers hold
/// the threads of the pool on which Swift's own is built on Linux, with the same result; on Apple's
/// systems the two share their limit too. **From dedicated threads** it passes.
public final class TaskSemaphoreCache: Cache {
  private let cache: any AsyncCache = ActorCache()

  /// Makes an empty cache.
  public init() {}

  /// Waits for a task that reads.
  public func value(forKey key: String) -> [UInt8]? {
    wait { await $0.value(forKey: key) }
  }

  /// Waits for a task that stores.
  public func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    wait { await $0.setValue(value, forKey: key, cost: cost) }
  }

  /// Waits for a task that removes.
  public func removeValue(forKey key: String) {
    wait { await $0.removeValue(forKey: key) }
  }

  /// Waits for a task that removes every value.
  public func removeAllValues() {
    wait { await $0.removeAllValues() }
  }

  /// How many values there are; waits for a task.
  public var count: Int {
    wait { await $0.count }
  }

  /// The total cost of all values; waits for a task.
  public var totalCost: Int? {
    wait { await $0.totalCost }
  }

  /// All entries; waits for a task.
  public func entries() -> [String: CacheEntry]? {
    wait { await $0.entries() }
  }

  /// Reads in a task.
  public func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    start({ await $0.value(forKey: key) }, completion)
  }

  /// Stores in a task.
  public func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    start({ await $0.setValue(value, forKey: key, cost: cost) }, completion)
  }

  /// Removes in a task.
  public func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    start({ await $0.removeValue(forKey: key) }, completion)
  }

  private func start<R: Sendable>(
    _ call: @escaping @Sendable (any AsyncCache) async -> R,
    _ completion: @escaping @Sendable (R) -> Void
  ) {
    Task { [cache] in completion(await call(cache)) }
  }

  private func wait<R: Sendable>(_ call: @escaping @Sendable (any AsyncCache) async -> R) -> R {
    waitForCallback { start(call, $0) }
  }
}
