// Two threads take two locks in two orders: a deadlock in the one order that 'explore' shows.
//
// Prints:
//
//   ✘ Test crossedLocks() recorded an issue at 04-CrossedLocks.swift:33:15: Issue recorded
//   ↳ deadlock (cycle) (order number 2); the shortest schedule found has 2 context switches
//       2 threads wait for each other
//       thread 2 holds the mutex made at 04-CrossedLocks.swift:34  closure #1 in crossedLocks()…
//       thread 1 holds the mutex made at 04-CrossedLocks.swift:34  closure #1 in crossedLocks()…
//       safe when: all threads acquire them in one order, or hold none while they wait
//        body         thread 1         thread 2
//     1  start
//     2  async  04-CrossedLocks.swift:36
//     3  async  04-CrossedLocks.swift:37
//     4           start  04-CrossedLocks.swift:36
//     5           lock #6  04-CrossedLocks.swift:36
//     6                       start  04-CrossedLocks.swift:37
//     7                       lock #7  04-CrossedLocks.swift:37
//       #6: lock made at 04-CrossedLocks.swift:34
//       #7: lock made at 04-CrossedLocks.swift:34
//     no thread can continue:
//       body waits: group wait #2  04-CrossedLocks.swift:38
//       thread 1 waits: lock #7  04-CrossedLocks.swift:36
//       thread 2 waits: lock #6  04-CrossedLocks.swift:37
//     replay: explore(replay: "i1-7db74f27-w0-ab2c2-06dd0d")
//   ✘ Test crossedLocks() failed after 0.405 seconds with 1 issue.

import Foundation
import InterlockTesting
import Testing

@Test func crossedLocks() throws {
  try explore {
    let (first, second) = (NSLock(), NSLock())
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) { first.withLock { second.withLock {} } }
    DispatchQueue.global().async(group: group) { second.withLock { first.withLock {} } }
    group.wait()
  }
}
