import CInterlockEvents
import Dispatch
import Foundation

extension Programs {
  /// Processes that end before their tasks do, or after them.
  static let leaking: [String: Program] = [
    "leaves-tasks": { arguments in leaveTasks(isFollowed: arguments.first == "followed") },
    "leaves-none": { arguments in
      for _ in 0..<number(arguments, 0) { leaveNone() }
      print("done")
    },
  ]

  /// Unsafe: only the main thread adds to it, before other threads may read it.
  nonisolated(unsafe) private static var forgotten: [UnsafeContinuation<Void, Never>] = []

  /// The sleep is known only where tasks are followed.
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
