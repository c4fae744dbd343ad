import Foundation
import Interlock
import Programs

/// Signals that come too early, or are not waited for.
let signalledRacePrograms: [Program] = [
  Program(
    "signalled-before-write", "a semaphore is signalled before the write that it announces",
    .predicts(.race)
  ) {
    let shared = Shared()
    let ready = DispatchSemaphore(value: 0)
    let ended = DispatchGroup()
    ended.enter()
    Thread.detachNewThread {
      ready.signal()
      shared.set(1)
      ended.leave()
    }
    ready.wait()
    Thread.sleep(forTimeInterval: 0.2)
    _ = shared.get()
    ended.wait()
  },
  Program(
    "signalled-after-write", "a semaphore is signalled after the write that it announces",
    .predicts()
  ) {
    let shared = Shared()
    let ready = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      shared.set(1)
      ready.signal()
    }
    ready.wait()
    _ = shared.get()
  },
  Program(
    "group-left-before-write", "a group is left before the write that it announces",
    .predicts(.race)
  ) {
    let shared = Shared()
    let group = DispatchGroup()
    let ended = DispatchSemaphore(value: 0)
    group.enter()
    DispatchQueue.global().async {
      group.leave()
      shared.set(1)
      ended.signal()
    }
    group.wait()
    Thread.sleep(forTimeInterval: 0.2)
    _ = shared.get()
    ended.wait()
  },
  Program(
    "group-left-early-and-over",
    "a group is left before the write, and waited for when the block is over as well",
    .predicts(.race)
  ) {
    let shared = Shared()
    let group = DispatchGroup()
    group.enter()
    DispatchQueue.global().async {
      group.leave()
      shared.set(1)
    }
    // Waiting for the group does not order this block's end.
    Thread.sleep(forTimeInterval: 0.2)
    group.wait()
    _ = shared.get()
  },
  Program(
    "group-left-after-write", "a group is left after the write, and then waited for and notified",
    .predicts()
  ) {
    let shared = Shared()
    let group = DispatchGroup()
    let ended = DispatchSemaphore(value: 0)
    for number in 0..<2 {
      group.enter()
      DispatchQueue(label: "writer \(number)").async {
        if number == 0 { shared.set(1) }
        group.leave()
      }
    }
    group.wait()
    shared.set(2)
    DispatchQueue.global().async(group: group) { shared.set(3) }
    group.notify(queue: .global()) {
      shared.set(4)
      ended.signal()
    }
    ended.wait()
  },
  Program(
    "thread-not-joined", "a thread's result is read after a while, without joining the thread",
    .predicts(.race)
  ) {
    let shared = Shared()
    let thread = startThread { shared.set(1) }
    Thread.sleep(forTimeInterval: 0.2)
    _ = shared.get()
    pthread_join(thread, nil)
  },
  Program("thread-joined", "a thread's result is read after the thread was joined", .predicts()) {
    let shared = Shared()
    shared.set(0)
    let thread = startThread { shared.set(shared.get() + 1) }
    pthread_join(thread, nil)
    _ = shared.get()
  },
]

/// Starts a POSIX thread.
private func startThread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
  final class Box {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  pthread_create(
    &thread, nil,
    { box in
      guard let box else { return nil }
      Unmanaged<Box>.fromOpaque(box).takeRetainedValue().body()
      return nil
    }, Unmanaged.passRetained(Box(body)).toOpaque())
  return thread
}
