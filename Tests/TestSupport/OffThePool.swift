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
    try await withTaskExecutorPreference(ThreadExecutor()) { try await function() }
  }
}

extension Trait where Self == OffThePool {
  /// Runs on a thread that belongs to no pool.
  package static var offThePool: Self { Self() }
}

/// A thread for each job.
private final class ThreadExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }.start()
  }
}
