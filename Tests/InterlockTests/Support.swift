import CMarks
import Foundation
import InterlockTestsC
import Synchronization
import Testing

@testable import Interlock
@testable import SectionTable

/// The tracker's findings in the test process. Settings are process-wide and set once, so that
/// tests can run in parallel; each test checks resources with its own names.
enum Findings {
  private static let installed: Void = {
    SectionTracking.onConflict = .handler { _ in }
    SectionTracking.onMisuse = .record
  }()

  static func conflicts(on resource: String) -> [Conflict] {
    SectionTracking.conflicts.filter { $0.resource == resource }
  }

  static func misuses(on resource: String) -> [Misuse] {
    SectionTracking.misuses.filter { $0.resource == resource }
  }

  /// Call this before the first section of a test.
  static func collect() { installed }
}

/// Runs a body on a dedicated thread and waits for the thread's exit, including its exit handlers.
func onThread(named name: String? = nil, _ body: @escaping @Sendable () -> Void) {
  JoinableThread(named: name, body).join()
}

/// A thread that can be joined.
final class JoinableThread: @unchecked Sendable {
  // Unchecked: `handle` is written once, before any other thread has the object.
  private var handle = pthread_t()

  init(named name: String? = nil, _ body: @escaping @Sendable () -> Void) {
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    pthread_create(
      &handle, nil,
      { argument in
        let start = Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue()
        if let name = start.name { c_name_thread(name) }
        start.body()
        return nil
      }, start.toOpaque())
  }

  func join() { pthread_join(handle, nil) }

  private final class Start: Sendable {
    let name: String?
    let body: @Sendable () -> Void
    init(name: String?, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }
}

/// A gate that opens once.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  func open() { semaphore.signal() }
  func pass() {
    semaphore.wait()
    semaphore.signal()
  }
}

/// A barrier for a number of threads.
final class Barrier: @unchecked Sendable {
  // Unchecked: the condition protects all of it.
  private let condition = NSCondition()
  private let parties: Int
  private var waiting = 0
  private var round = 0

  init(parties: Int) { self.parties = parties }

  func wait() {
    condition.lock()
    defer { condition.unlock() }
    let mine = round
    waiting += 1
    if waiting == parties {
      waiting = 0
      round += 1
      condition.broadcast()
    }
    while round == mine { condition.wait() }
  }
}

/// A barrier for a few threads that must continue at the same time. The threads spin, because a
/// `Barrier` wakes threads one after another.
final class SpinBarrier: Sendable {
  private let parties: Int
  private let waiting = Atomic<Int>(0)
  private let round = Atomic<Int>(0)

  init(parties: Int) { self.parties = parties }

  func wait() {
    // Acquiring and releasing: writes before the barrier are visible after it.
    let mine = round.load(ordering: .acquiring)
    if waiting.add(1, ordering: .acquiringAndReleasing).newValue == parties {
      waiting.store(0, ordering: .relaxed)
      round.add(1, ordering: .releasing)
      return
    }
    var spins = 0
    while round.load(ordering: .acquiring) == mine {
      spins += 1
      // There may be fewer processors than parties.
      if spins % 1_000 == 0 { sched_yield() }
    }
  }
}

/// A barrier for a number of tasks, which suspend without blocking a thread.
final class TaskBarrier: Sendable {
  private let parties: Int
  private let suspended = Guarded<[CheckedContinuation<Void, Never>]>([])

  init(parties: Int) { self.parties = parties }

  func wait() async {
    await withCheckedContinuation { continuation in
      let all = suspended.withLock { suspended in
        suspended.append(continuation)
        guard suspended.count == parties else { return [CheckedContinuation<Void, Never>]() }
        defer { suspended = [] }
        return suspended
      }
      for continuation in all { continuation.resume() }
    }
  }
}

/// A thread-safe counter.
final class Counter: Sendable {
  private let count = Atomic<Int>(0)
  func add() { count.add(1, ordering: .relaxed) }
  var value: Int { count.load(ordering: .relaxed) }
}

/// The identity of the calling thread.
func threadNumber() -> UInt64 { interlock_thread_number() }
