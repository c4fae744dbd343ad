import Caches
import Testing

/// A cache by name, and how to make one.
struct CacheCase: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var make: @Sendable () -> any Cache

  init(_ name: String, _ make: @escaping @Sendable () -> any Cache) {
    testDescription = name
    self.make = make
  }
}

/// An asynchronous cache by name, and how to make one.
struct AsyncCacheCase: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var make: @Sendable () -> any AsyncCache
}
