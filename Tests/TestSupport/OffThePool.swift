import Foundation
package import Testing

/// Runs a test on a dedicated thread, because what it waits for, and other tests, may need the
/// pool's threads. Most such tests wait for a child that computes, so only a few run at the same
/// time: each child then has the processor time that its limits assume.
package struct OffThePool: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    // An inner suite has the trait twice.
    if Places.isInOne { return try await inPlace(function) }
    await Places.shared.take()
    defer { Places.shared.give() }
    try await Places.$isInOne.withValue(true) { try await inPlace(function) }
  }

  private func inPlace(_ function: @Sendable () async throws -> Void) async throws {
    try await withTaskExecutorPreference(ThreadExecutor.shared) { try await function() }
  }
}

/// The places for tests that run at the same time, assigned in the order of arrival.
private final class Places: Sendable {
  @TaskLocal static var isInOne = false
  static let shared = Places(2 * ProcessInfo.processInfo.activeProcessorCount)

  private let state: Locked<(free: Int, waiting: [CheckedContinuation<Void, Never>])>

  init(_ count: Int) { state = Locked((count, [])) }

  func take() async {
    await withCheckedContinuation { arrival in
      let isFree = state.withLock { state in
        if state.free > 0 {
          state.free -= 1
          return true
        }
        state.waiting.append(arrival)
        return false
      }
      if isFree { arrival.resume() }
    }
  }

  func give() {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      if state.waiting.isEmpty {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}

extension Trait where Self == OffThePool {
  /// Runs a test on a thread that belongs to no pool.
  package static var offThePool: Self { Self() }
}

/// An executor that gives each job a thread. An idle thread takes the next job, because the
/// toolchain reads debug information once for each thread: in a test bundle for seconds.
private final class ThreadExecutor: TaskExecutor {
  static let shared = ThreadExecutor()

  /// The idle threads; the last one was busy most recently.
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

/// A value behind a lock. Not a `Mutex`: ThreadSanitizer reports a contended `Mutex` as a race.
private final class Locked<Value>: @unchecked Sendable {
  // Unchecked: `lock` protects the value.
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.withLock { body(&value) }
  }
}
