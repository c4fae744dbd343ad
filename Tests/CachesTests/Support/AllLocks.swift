import LockStrategies
import Testing

/// A strategy by name, and how to make a fresh lock.
struct LockCase: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var make: @Sendable () -> any Lock

  init(_ name: String, _ make: @escaping @Sendable () -> any Lock) {
    testDescription = name
    self.make = make
  }

  /// Those that let one in at a time, readers too.
  static let exclusive = [
    LockCase("SemaphoreLock") { SemaphoreLock() },
    LockCase("PthreadMutexLock") { PthreadMutexLock() },
    LockCase("FoundationLock") { FoundationLock() },
    LockCase("RecursiveFoundationLock") { RecursiveFoundationLock() },
    LockCase("StandardLibraryMutexLock") { StandardLibraryMutexLock() },
    LockCase("SerialQueueLock") { SerialQueueLock() },
    LockCase("SpinLock") { SpinLock() },
  ]

  /// Those that let readers in together.
  static let shared = [
    LockCase("ReaderWriterLock") { ReaderWriterLock() },
    LockCase("BarrierQueueLock") { BarrierQueueLock() },
  ]

  /// Those that exclude.
  static let excluding = exclusive + shared

  /// All of them.
  static let all = excluding + [LockCase("NoLock") { NoLock() }]
}
