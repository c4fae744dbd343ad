import Dispatch
import Interlock
import InterlockTesting
import Testing

/// Code outside of an exploration that hides the order of threads for the rest of the process.
@Suite(.serialized) struct ExploredBlind {
  @Test func before() throws { try exploreSections() }

  @Test func blind() throws {
    nest(17)
    try exploreSections()
  }

  private func exploreSections() throws {
    try explore {
      let shelf = Section("explored shelf")
      let isFree = DispatchSemaphore(value: 1)
      onTwoThreads {
        isFree.wait()
        shelf.write {}
        isFree.signal()
      }
    }
  }

  /// Runs blocks of queues within one another, to this depth.
  private func nest(_ depth: Int) {
    if depth > 0 { DispatchQueue(label: "nested").sync { nest(depth - 1) } }
  }
}
