import CInterlockEvents
import Dispatch
import ProcessInspection
import Testing

extension SyncEvents {
  /// The boundary of Swift Concurrency: jobs and continuations.
  @Suite("Swift Concurrency")
  struct ConcurrencyTests {
    @Test("A task's suspension and resumption are published")
    func continuation() async throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let resumer = DispatchQueue(label: "test.resume")
      recorder.follow(resumer)
      let task = SharedArray<UInt>(count: 1) { 0 }
      let value: Int = await withUnsafeContinuation { continuation in
        task[0] = continuation.address
        recorder.follow(continuation.address)
        resumer.async {
          continuation.resume(returning: 42)
        }
      }
      #expect(value == 42)
      let events = recorder.events(of: task[0]).filter {
        $0.objectKind == INTERLOCK_OBJECT_CONTINUATION
      }
      // Once when the task is resumed, and once when it continues.
      #expect(
        events.map(\.words)
          == ["create continuation", "release continuation", "release continuation"])
      // In a debug build both places are in functions without lines, which the compiler adds to the
      // user's.
      #expect(events.dropLast().allSatisfy { $0.place != 0 })
    }

    @Test("A task's jobs are flagged as jobs")
    func jobs() async throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let before = DispatchSemaphore(value: 0)
      let thread = TestThread {
        recorder.follow(thread: Platform.thisThread)
        Task.detached { before.signal() }
        before.wait()
      }
      thread.join()
      let handed = recorder.all.filter {
        $0.thread == thread.id && $0.kind == INTERLOCK_EVENT_ENQUEUE
      }
      #expect(handed.map(\.words) == ["enqueue queue job first"])
    }

    @Test("A task's jobs are flagged as jobs also if a user's executor forwards them")
    func forwardedJobs() async throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let before = DispatchSemaphore(value: 0)
      let thread = TestThread {
        recorder.follow(thread: Platform.thisThread)
        Task(executorPreference: Forward()) { before.signal() }
        before.wait()
      }
      thread.join()
      let handed = recorder.all.filter {
        $0.thread == thread.id && $0.kind == INTERLOCK_EVENT_ENQUEUE
      }
      #expect(handed.map { $0.flags & INTERLOCK_FLAG_JOB } == [INTERLOCK_FLAG_JOB])
    }

    /// A user's executor that forwards its jobs to the pool.
    private final class Forward: TaskExecutor {
      func enqueue(_ job: consuming ExecutorJob) { globalConcurrentExecutor.enqueue(job) }
    }

    @Test("A job has the place of the user's call that hands it over, even if two calls alternate")
    func places() async throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let ended = DispatchSemaphore(value: 0), waits = DispatchSemaphore(value: 0)
      let waiting = SharedArray<UnsafeContinuation<Void, Never>?>(count: 1) { nil }
      let thread = TestThread {
        recorder.follow(thread: Platform.thisThread)
        for _ in 0..<20 {
          Task.detached {
            await withUnsafeContinuation {
              waiting[0] = $0
              waits.signal()
            }
            ended.signal()
          }
          waits.wait()
          waiting[0]?.resume()
          ended.wait()
        }
      }
      thread.join()
      let handed = recorder.all.filter {
        $0.thread == thread.id && $0.kind == INTERLOCK_EVENT_ENQUEUE
      }
      let isFirst = Dictionary(grouping: handed) { $0.flags & INTERLOCK_FLAG_FIRST_JOB != 0 }
      let made = isFirst[true, default: []].map(\.place)
      // No place for a continuation that is resumed before its task has suspended.
      let resumed = isFirst[false, default: []].map(\.place)
      #expect(made.count == 20)
      #expect((made + resumed).allSatisfy(interlock_events_is_users))
      #expect(Set(made).count == 1)
      #expect(Set(resumed).count <= 1)
      #expect(Set(made).isDisjoint(with: resumed))
    }

    @Test("Errors and values are passed on, from several tasks at once")
    func values() async throws {
      struct Failure: Error {}
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let sum = await withTaskGroup(of: Int.self) { group in
        for number in 0..<100 {
          group.addTask {
            await withUnsafeContinuation { continuation in
              DispatchQueue.global().async { continuation.resume(returning: number) }
            }
          }
        }
        return await group.reduce(0, +)
      }
      #expect(sum == 4950)
      await #expect(throws: Failure.self) {
        try await withCheckedThrowingContinuation {
          (continuation: CheckedContinuation<Void, any Error>) in
          DispatchQueue.global().async { continuation.resume(throwing: Failure()) }
        }
      }
      let number: Int = try await withCheckedThrowingContinuation { $0.resume(returning: 7) }
      #expect(number == 7)
    }
  }
}
