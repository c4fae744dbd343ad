import Foundation
package import Testing

/// Runs a test on a dedicated thread: what it waits for, and other tests, may need the pool's
/// threads.
package struct OffThePool: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    try await withTaskExecutorPreference(ThreadExecutor.shared) { try await function() }
  }
}

extension Trait where Self == OffThePool {
  /// Runs on a thread that belongs to no pool.
  package static var offThePool: Self { Self() }
}

/// Gives each job a thread. An idle thread takes the next job: the toolchain reads debug
/// information once for each thread, which takes seconds in a test bundle.
private final class ThreadExecutor: TaskExecutor {
  static let shared = ThreadExecutor()

  /// The idle threads, the one that was busy last at the end.
  private let idle = Locked<[Slot]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if let slot = idle.withLock({ $0.popLast() }) { return slot.give(job) }
    Thread { [self] in
      let slot = Slot()
      var next = job
      while true {
        next.runSynchronously(on: asUnownedTaskExecutor())
        idle.withLock { $0.append(slot) }
        next = slot.take()
      }
    }.start()
  }
}

/// A job for an idle thread.
private final class Slot: Sendable {
  private let ready = DispatchSemaphore(value: 0)
  private let job = Locked<UnownedJob?>(nil)

  func give(_ job: UnownedJob) {
    self.job.withLock { $0 = job }
    ready.signal()
  }

  /// Waits for the job.
  func take() -> UnownedJob {
    while true {
      ready.wait()
      if let job = job.withLock({ $0.take() }) { return job }
    }
  }
}

/// A value behind a lock. Not a `Mutex`: ThreadSanitizer reports a contended one as a race.
private final class Locked<Value>: @unchecked Sendable {
  // Unchecked: `lock` protects the value.
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.withLock { body(&value) }
  }
}
