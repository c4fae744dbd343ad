// A method reads under the lock and writes under the lock again: there is no data race, and an
// addition is lost in some orders. 'explore' tries every order, and shows the shortest that fails.
//
// Prints:
//
//   ✘ Test lostUpdate() recorded an issue at 02-LostUpdate.swift:42:15: Issue recorded
//   ↳ Expectation failed: (counter.value → 1) == 2
//     the body failed (order number 2); the shortest schedule found has 2 context switches
//         body           thread 1        thread 2
//      1  start
//      2  async  02-LostUpdate.swift:45
//      3  async  02-LostUpdate.swift:45
//      4             start  02-LostUpdate.swift:45
//      5             lock #6  02-LostUpdate.swift:34
//      6                        start  02-LostUpdate.swift:45
//      7                        lock #6  02-LostUpdate.swift:34
//      8                        lock #6  02-LostUpdate.swift:37
//      9             lock #6  02-LostUpdate.swift:37
//     10  group wait #2  02-LostUpdate.swift:46
//     11  lock #6  02-LostUpdate.swift:34
//     12  ✘ 02-LostUpdate.swift:47
//       #6: lock made at 02-LostUpdate.swift:31
//     replay: explore(replay: "i1-c2ca7362-w0-ab2c3-76ccf7")
//   ✘ Test lostUpdate() failed after 0.214 seconds with 1 issue.

import Foundation
import InterlockTesting
import Testing

private final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0

  var value: Int { lock.withLock { count } }
  func add() {
    let old = value
    lock.withLock { count = old + 1 }
  }
}

@Test func lostUpdate() throws {
  try explore {
    let counter = Counter()
    let group = DispatchGroup()
    for _ in 0..<2 { DispatchQueue.global().async(group: group) { counter.add() } }
    group.wait()
    #expect(counter.value == 2)
  }
}
