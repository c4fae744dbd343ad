import CInterlockEvents
import Dispatch
import Foundation

extension Programs {
  /// Processes that end before their tasks, or after them.
  static let leaking: [String: Program] = [
    "leaves-tasks": { arguments in leaveTasks(isFollowed: arguments.first == "followed") },
    "leaves-objects": { _ in leaveObjects() },
    "leaves-none": { arguments in
      for _ in 0..<number(arguments, 0) { leaveNone() }
      leaveNoObjects()
      print("done")
    },
  ]

  /// Unsafe: only the main thread adds to it, before other threads can read it.
  nonisolated(unsafe) private static var forgotten: [UnsafeContinuation<Void, Never>] = []

  /// Leaves tasks behind; the sleeping task is known only if tasks are followed.
  private static func leaveTasks(isFollowed: Bool) {
    let arrived = DispatchSemaphore(value: 0)
    for _ in 0..<2 {
      Task {  // leaves: two
        await withUnsafeContinuation { continuation in  // leaves: their wait
          forgotten.append(continuation)
          arrived.signal()
        }
      }
      arrived.wait()
    }
    Task.detached {  // leaves: a sleeper
      try? await Task.sleep(for: .seconds(3600))  // leaves: its sleep
    }
    while isFollowed, interlock_waits_calls(nil, 0) == 0 { sched_yield() }
    print("done")
  }

  /// Unsafe: only the main thread uses it.
  nonisolated(unsafe) private static var objects: [Any] = []

  private static func leaveObjects() {
    let queue = DispatchQueue(label: "suspended")  // objects: queue
    queue.suspend()
    for _ in 0..<2 {
      let timer = DispatchSource.makeTimerSource()  // objects: timers
      timer.schedule(deadline: .now() + 3600)
      timer.activate()
      objects.append(timer)
    }
    queue.asyncAfter(deadline: .now() + 3600) {}  // objects: block
    let blocks = DispatchQueue(label: "blocks")
    let lock = NSLock()
    blocks.async { lock.lock() }  // objects: lock
    blocks.sync {}
    objects += [queue, lock]
    print("done")
  }

  private static func leaveNoObjects() {
    let queue = DispatchQueue(label: "resumed")
    queue.suspend()
    queue.resume()
    let timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now() + 3600)
    timer.activate()
    timer.cancel()
    let lock = NSLock()
    queue.sync { lock.withLock {} }
    objects += [queue, timer, lock]
  }

  private static func leaveNone() {
    let ended = DispatchGroup()
    for number in 0..<4 {
      ended.enter()
      Task.detached {
        await withUnsafeContinuation { continuation in
          Task {
            continuation.resume()
            if number > 1 { await Task.yield() }
            ended.leave()
          }
        }
      }
    }
    ended.wait()
  }
}
