import Caches
import Dispatch
import Foundation

/// A measured cache.
struct CacheHit: Sendable {
  /// Its name in the table.
  var name: String
  /// Why its design costs more than the budget; `nil` if the budget applies.
  var reason: String?
  /// Makes a cache with one value, and a body that reads it repeatedly.
  var row: @Sendable () -> Measurement.Row

  /// The limit of a hit's cost in a release build, as a multiple of the dictionary's.
  private static let budget = 3.0

  /// A cache whose native form is synchronous.
  init(_ name: String, byDesign reason: String? = nil, _ make: @escaping @Sendable () -> some Cache)
  {
    self.name = name
    self.reason = reason
    row = {
      let cache = make()
      cache.setValue(value, forKey: key, cost: value.count)
      return Measurement.Row(name: name) { turns in
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
      return Measurement.Row(name: name) { turns in
        wait { for _ in 0..<turns { consume(await cache.value(forKey: key)) } }
      }
    }
  }

  /// Times a hit in each cache, after one in a dictionary under `NSLock`.
  static func measure(_ caches: [CacheHit]) -> Measurement {
    // A second thread is started, because NSLock is cheaper in a process with one thread.
    let end = DispatchSemaphore(value: 0)
    Thread { end.wait() }.start()
    defer { end.signal() }
    let baseline = CacheHit("dictionary under NSLock") { DictionaryUnderLock() }
    return Measurement([baseline.row()] + caches.map { $0.row() }, rounds: 15, turns: 5_000)
  }

  /// Prints the table of these caches.
  static func show(_ caches: [CacheHit], _ measured: Measurement) {
    print(
      "caches, an uncontended hit; medians of interleaved rounds; 1 × is a dictionary under NSLock"
        + String(format: ", %.0f ns", measured.median(0)))
    for (number, cache) in caches.enumerated() {
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
