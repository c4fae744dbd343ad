// Two locks are taken in two orders, one after the other: nothing hangs in this run, and the trait
// predicts that it can.
//
// Prints:
//
//   ✘ Test potentialDeadlock() recorded an issue at 10-PotentialDeadlock.swift:27:1: Issue reco…
//   ↳ potential, not observed: lock-order: two locks are taken in both orders: the mutex made a…
//       thread 4108…
//         holds the mutex made at 10-PotentialDeadlock.swift:23  potentialDeadlock() …
//         #0 NSLocking.withLock<A>(_:)  (Samples)
//         #1 closure #1 in closure #1 in potentialDeadlock()  10-PotentialDeadlock.swift:27
//       thread 4109…
//         holds the mutex made at 10-PotentialDeadlock.swift:23  potentialDeadlock() …
//         #0 NSLocking.withLock<A>(_:)  (Samples)
//         #1 closure #1 in closure #1 in potentialDeadlock()  10-PotentialDeadlock.swift:27
//   ✘ Test potentialDeadlock() failed after 0.482 seconds with 1 issue.

import Foundation
import InterlockTesting
import Testing

@Test(.interlock(predict: true, failOn: .potential)) func potentialDeadlock() {
  let (first, second) = (NSLock(), NSLock())
  for (outer, inner) in [(first, second), (second, first)] {
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      outer.withLock { inner.withLock {} }
      isDone.signal()
    }
    isDone.wait()
  }
}
