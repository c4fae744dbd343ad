import Foundation
import PredictPrograms
import Programs
import Synchronization

/// The standard library's lock used directly, not through `LockStrategies`: its uncontended use
/// makes no call that could be interposed.
let ownMutexPrograms: [Program] = [
  Program("own-mutexes-both-ways", "two threads nest two Mutexes either way, in turn", .predicts())
  {
    let accounts = Accounts()
    let ended = DispatchSemaphore(value: 0)
    for source in 0..<2 {
      Thread.detachNewThread {
        accounts.transfer(fromFirst: source == 0)
        ended.signal()
      }
      ended.wait()
    }
  },
  Program("own-mutexes-one-way", "two threads nest two Mutexes one way, at once", .predicts()) {
    let accounts = Accounts()
    onTwoThreads { for _ in 0..<1000 { accounts.transfer(fromFirst: true) } }
  },
]

private final class Accounts: Sendable {
  private let first = Mutex(100)
  private let second = Mutex(100)

  func transfer(fromFirst: Bool) {
    if fromFirst {
      first.withLock { first in
        second.withLock { second in
          first -= 1
          second += 1
        }
      }
    } else {
      second.withLock { second in
        first.withLock { first in
          second -= 1
          first += 1
        }
      }
    }
  }
}
