// Each block of a pool waits for another block of the same pool. Two threads starve; three would
// not.
//
// Prints:
//
//   ✘ Test starvedPool() recorded an issue at 05-StarvedPool.swift:37:14: Issue recorded
//   ↳ deadlock (starvation): all 2 threads of the pool wait (order number 1); the shortest sche…
//       2 of 2 threads of the default pool wait, and what they wait for is queued behind them
//       26 blocks queued on the default pool; 2 running, each waits for a semaphore  05-Starved…
//       each waits for a block queued on the default pool (concurrent), positions 1 and after
//       frees it from here: one more thread (this pool: 2 now, 255 at most)
//       completes here after about 1 s, and within Apple's limit of 64 threads
//       safe when: a block waits for nothing that needs another thread of its own pool
//        body         thread 1         thread 2
//     1  start
//     2  async  05-StarvedPool.swift:40
//     3  async  05-StarvedPool.swift:40
//     4           begin #3  05-StarvedPool.swift:40
//     5           async  05-StarvedPool.swift:42
//     6                       begin #3  05-StarvedPool.swift:40
//     7                       async  05-StarvedPool.swift:42
//       #3: queue 'com.apple.root.default-qos'
//     no thread can continue:
//       body waits: group wait #2  05-StarvedPool.swift:46
//       thread 1 waits: semaphore wait #6  05-StarvedPool.swift:43
//       thread 2 waits: semaphore wait #8  05-StarvedPool.swift:43
//       thread 3 waits: begin #3  05-StarvedPool.swift:42
//       thread 4 waits: begin #3  05-StarvedPool.swift:42
//     replay: explore(replay: "i1-104422a4-w8194-ab2-10105a")
//   ✘ Test starvedPool() failed after 0.340 seconds with 1 issue.

import Dispatch
import InterlockTesting
import Testing

@Test func starvedPool() throws {
  try explore(.poolWidth(2)) {
    let group = DispatchGroup()
    for _ in 0..<2 {
      DispatchQueue.global().async(group: group) {
        let isDone = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { isDone.signal() }
        isDone.wait()
      }
    }
    group.wait()
  }
}
