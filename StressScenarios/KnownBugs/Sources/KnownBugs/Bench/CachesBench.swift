import Foundation
import InterlockStress
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
  CacheHit("YYMemoryCache 1.0.4") { YYMemoryCache() },
  CacheHit("YYMemoryCache 1.0.4, repaired") { YYMemoryCache(repairs: .all) },
  CacheHit("TMMemoryCache 2.1.0, repaired") { TMMemoryCache(repairs: .all) },
  CacheHit("TMMemoryCache 2.1.0", byDesign: "two hops to its queue, and a wait for each read") {
    TMMemoryCache()
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

/// The cost of an uncontended hit in a memory cache, relative to a dictionary under `NSLock`; the
/// cost of a lock includes that of Interlock's interposition.
enum CachesBench {
  static func run() { CacheHit.show(measuredCaches, CacheHit.measure(measuredCaches)) }
}
