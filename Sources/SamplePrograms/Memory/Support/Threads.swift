import Foundation
import Synchronization

/// A thread that can be joined; Foundation's cannot.
final class Joined: @unchecked Sendable {
  // Unchecked: only the thread that made it joins it.
  private var thread = pthread_t()

  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  init(_ run: @escaping @Sendable () -> Void) {
    let body = Unmanaged.passRetained(Body(run)).toOpaque()
    pthread_create(
      &thread, nil,
      { body in
        if let body { Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
        return nil
      }, body)
  }

  func join() { pthread_join(thread, nil) }
}

/// Blocks the thread long enough that other threads reach their accesses. Creates no order: nothing
/// tells the thread that the others have done so.
func letTimePass() { usleep(20_000) }

/// Runs two bodies on a thread each, the second a moment later, and waits for both. The second
/// thread starts before the first body ends: only the clock puts one after the other.
func onTwoThreads(
  _ first: @escaping @Sendable () -> Void, then second: @escaping @Sendable () -> Void
) {
  let one = Joined(first)
  let other = Joined {
    letTimePass()
    second()
  }
  one.join()
  other.join()
}

/// Runs a body on two threads, the second a moment later.
func onTwoThreads(_ body: @escaping @Sendable () -> Void) { onTwoThreads(body, then: body) }

/// Runs a body on several threads at once, and waits for them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let threads = (0..<count).map { index in Joined { body(index) } }
  for thread in threads { thread.join() }
}

/// Tells another thread by a relaxed atomic that a time has come, which creates no order.
final class Signpost: Sendable {
  private let isSet = Atomic(false)

  func set() { isSet.store(true, ordering: .relaxed) }
  func wait() { while !isSet.load(ordering: .relaxed) { usleep(100) } }
}

/// Several threads wait for each other by a relaxed atomic, which creates no order. They give up
/// after some seconds, because a pool may not have a thread for each.
final class Meeting: Sendable {
  private let missing: Atomic<Int>

  init(_ count: Int) { missing = Atomic(count) }

  func wait() {
    missing.wrappingSubtract(1, ordering: .relaxed)
    for _ in 0..<20_000 where missing.load(ordering: .relaxed) > 0 { usleep(100) }
  }
}

/// Runs a body as a task, and waits for its end on this thread.
func inTask(_ body: @escaping @Sendable () async -> Void) {
  let ended = DispatchSemaphore(value: 0)
  Task.detached {
    await body()
    ended.signal()
  }
  ended.wait()
}

/// Runs two bodies as tasks, the second a moment later, and waits for both.
func inTwoTasks(
  _ first: @escaping @Sendable () async -> Void, then second: @escaping @Sendable () async -> Void
) {
  let ended = DispatchSemaphore(value: 0)
  Task.detached {
    await first()
    ended.signal()
  }
  Task.detached {
    letTimePass()
    await second()
    ended.signal()
  }
  for _ in 0..<2 { ended.wait() }
}
