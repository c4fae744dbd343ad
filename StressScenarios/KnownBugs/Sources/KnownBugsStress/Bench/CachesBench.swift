import Foundation
import InterlockStress
import KnownBugs
import LockStrategies

/// The measured models, one line each.
///
/// A cache whose design costs more (an actor's hop, another thread, Foundation's own code) has no
/// budget; `byDesign` gives the reason.
private let measuredCaches: [CacheHit] = [
  CacheHit("MarkedTable, repaired") { MarkedTable(repaired: true) },
  CacheHit("SharedValueCache") { SharedValueCache(repaired: false) },
  CacheHit("CountingCache") { CountingCache(repaired: false) },
  CacheHit("ObservedCache, POSIX mutex") { ObservedCache(PthreadMutexLock()) { _ in } },
  CacheHit("PINMemoryCache 2.0") { PINMemoryCache(.two) },
  CacheHit("PINMemoryCache 3.0.4") { PINMemoryCache(.three) },
  CacheHit("PINMemoryCache 3.0.4, repaired") { PINMemoryCache(.three, changes: .repaired) },
  CacheHit("YYMemoryCache 1.0.4") { YYMemoryCache(autoTrimInterval: 0) },
  CacheHit("YYMemoryCache 1.0.4, repaired") { YYMemoryCache(repairs: .all, autoTrimInterval: 0) },
  CacheHit("TMMemoryCache 2.1.0, repaired") { TMMemoryCache<[UInt8]>(repairs: .all) },
  CacheHit("TMMemoryCache 2.1.0", byDesign: "two hops to its queue, and a wait for each read") {
    TMMemoryCache<[UInt8]>()
  },
  CacheHit("ImageStore, in memory, repaired") { ImageStore(disk: nil, repaired: true) },
  CacheHit("FoundationCache", byDesign: "NSCache's own keys and boxes") { FoundationCache() },
  CacheHit(awaiting: "LoadingCache, repaired", byDesign: "the hop to the actor and back") {
    LoadingCache(over: nil, repaired: true)
  },
  CacheHit(awaiting: "StreamCache, repaired", byDesign: "another task performs it") {
    StreamCache(repaired: true)
  },
]

/// The cost of an uncontended hit in a memory cache, relative to a dictionary under `NSLock`; locks
/// include what it costs that Interlock sees their calls.
enum CachesBench {
  /// The limit of a hit's cost in a release build, as a multiple of the dictionary's.
  private static let budget = 3.0

  /// Measures and prints the table.
  static func run() {
    // Start a second thread: NSLock is cheaper in a process with one thread.
    let end = DispatchSemaphore(value: 0)
    Thread { end.wait() }.start()
    defer { end.signal() }
    let baseline = CacheHit("dictionary under NSLock") { DictionaryUnderLock() }
    let measured = TimedRows(
      [baseline.row()] + measuredCaches.map { $0.row() }, rounds: 15, turns: 5_000)
    print(
      "caches, an uncontended hit; medians of interleaved rounds; 1 × is a dictionary under NSLock"
        + String(format: ", %.0f ns", measured.median(0)))
    for (number, cache) in measuredCaches.enumerated() {
      let ratio = measured.ratio(number + 1, to: 0)
      print(line(cache, ratio: ratio, nanoseconds: measured.median(number + 1)))
    }
  }

  private static func line(_ cache: CacheHit, ratio: Double, nanoseconds: Double) -> String {
    #if DEBUG
    let verdict = "no budget in a debug build"
    #else
    let verdict =
      cache.reason
      ?? String(format: "≤ %.0f ×%@", budget, ratio <= budget ? "" : "   OVER")
    #endif
    return "  " + cache.name.padding(toLength: 36, withPad: " ", startingAt: 0)
      + String(format: "%7.1f ×   %7.0f ns   ", ratio, nanoseconds) + verdict
  }
}

/// A measured cache.
private struct CacheHit: Sendable {
  /// Its name in the table.
  var name: String
  /// Why its design costs more than the budget; `nil` if the budget applies.
  var reason: String?
  /// Makes a cache with one value, and a body that reads it repeatedly.
  var row: @Sendable () -> TimedRows.Row

  /// A cache whose native form is synchronous.
  init(_ name: String, byDesign reason: String? = nil, _ make: @escaping @Sendable () -> some Cache)
  {
    self.name = name
    self.reason = reason
    row = {
      let cache = make()
      cache.setValue(value, forKey: key, cost: value.count)
      return TimedRows.Row(name: name) { turns in
        for _ in 0..<turns { consume(cache.value(forKey: key)) }
      }
    }
  }

  /// A cache whose native form is `async`; a task reads it, and the timing thread waits once for
  /// all turns.
  init(
    awaiting name: String, byDesign reason: String? = nil,
    _ make: @escaping @Sendable () -> some AsyncCache
  ) {
    self.name = name
    self.reason = reason
    row = {
      let cache = make()
      wait { await cache.setValue(value, forKey: key, cost: value.count) }
      return TimedRows.Row(name: name) { turns in
        wait { for _ in 0..<turns { consume(await cache.value(forKey: key)) } }
      }
    }
  }
}

private let key = "https://example.com/images/cat.png"
private let value = [UInt8](repeating: 7, count: 1024)

/// Checks that the value is there; without a use the compiler could remove the read.
@inline(never)
private func consume(_ found: [UInt8]?) {
  precondition(found != nil, "the value is not there")
}

private func wait(_ body: @escaping @Sendable () async -> Void) {
  let done = DispatchSemaphore(value: 0)
  Task {
    await body()
    done.signal()
  }
  done.wait()
}

/// The baseline of all caches.
private final class DictionaryUnderLock: Cache {
  private let lock = NSLock()
  // Only touched under the lock.
  nonisolated(unsafe) private var values: [String: [UInt8]] = [:]

  func value(forKey key: String) -> [UInt8]? {
    lock.lock()
    defer { lock.unlock() }
    return values[key]
  }

  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    lock.withLock { values[key] = value }
  }

  func removeValue(forKey key: String) { lock.withLock { values[key] = nil } }

  func removeAllValues() { lock.withLock { values = [:] } }

  var count: Int { lock.withLock { values.count } }
}
