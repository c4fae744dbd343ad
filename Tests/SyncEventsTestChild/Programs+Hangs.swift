import Foundation
import InterlockWatchdog
import Synchronization

extension Programs {
  /// What never ends by itself. The first argument is the watchdog's limit in seconds; without one, it is not started
  /// here.
  static let hangs: [String: Program] = [
    "cycle": { arguments in
      start(arguments)
      cycle()
    },
    "self": { arguments in
      start(arguments)
      let queue = DispatchQueue(label: "hang.self")
      queue.sync {  // self: has
        queue.sync {}  // self: asks
      }
    },
    "relock": { arguments in
      start(arguments)
      relock()
    },
    "left-locked": { arguments in
      start(arguments)
      leftLocked()
    },
    "lost": { arguments in
      start(arguments)
      let semaphore = DispatchSemaphore(value: 0)
      semaphore.wait()  // lost: asks
    },
    "never-resumed": { arguments in
      start(arguments)
      runTask {
        typealias Asked = UnsafeContinuation<Void, Never>
        await withUnsafeContinuation { (_: Asked) in }  // never-resumed: waits
      }
    },
    "checked-never-resumed": { arguments in
      start(arguments)
      let kept = Mutex<CheckedContinuation<Int, any Error>?>(nil)
      runTask {
        _ = try? await withCheckedThrowingContinuation { asked in  // checked-never-resumed: waits
          kept.withLock { $0 = asked }
        }
      }
    },
  ]

  /// Starts the watchdog with the first argument's limit, and changes it to each further one's.
  static func start(_ arguments: [String]) {
    for limit in arguments.compactMap(Double.init) { HangWatchdog.start(limit: .seconds(limit)) }
  }

  private static func relock() {
    let lock = NSLock()
    lock.lock()  // relock: has
    lock.lock()  // relock: asks
  }

  private static func leftLocked() {
    let lock = NSLock()  // left-locked: made
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      lock.lock()  // left-locked: has
      ended.signal()
    }
    ended.wait()
    let done = DispatchGroup()
    done.enter()
    Thread.detachNewThread {
      lock.lock()  // left-locked: asks
      done.leave()
    }
    done.wait()  // left-locked: joins
  }

  private static func cycle() {
    let first = NSLock()
    let second = NSLock()
    let isHeld = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    first.lock()  // cycle: has
    Thread.detachNewThread {
      second.lock()  // cycle: has
      isHeld.signal()
      first.lock()  // cycle: asks
      ended.signal()
    }
    isHeld.wait()
    second.lock()  // cycle: asks
    ended.wait()
  }
}
