// The same counter with one critical section: all orders pass, and their number is the answer.
//
// Prints:
//
//   explore: all 2 orders pass; accesses of memory are not checked in this build (see Interl…
//   ✔ Test everyOrderPasses() passed after 0.210 seconds.

import Foundation
import InterlockTesting
import Testing

private final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0

  var value: Int { lock.withLock { count } }
  func add() { lock.withLock { count += 1 } }
}

@Test func everyOrderPasses() throws {
  try explore {
    let counter = Counter()
    let group = DispatchGroup()
    for _ in 0..<2 { DispatchQueue.global().async(group: group) { counter.add() } }
    group.wait()
    #expect(counter.value == 2)
  }
}
