import Dispatch
import Programs
import Synchronization

/// Blocks that wait ahead of a barrier of their queue, as in `barrier-behind-waiting-readers`; a
/// later block of the same code wakes them once the pool has grown.
let correctPoolPrograms: [Program] = [
  Program(
    "blocks-meet-before-a-barrier",
    "4 blocks wait for each other before a barrier of their queue; the last to arrive signals",
    .passes, source: "The twin of barrier-behind-waiting-readers: only its last block is another",
    poolWidth: 1, stallSeconds: 10,
    blocksMeetBeforeBarrier),
  Program(
    "blocks-freed-before-a-barrier",
    "3 blocks wait before a barrier of their queue; one of the same code signals them", .passes,
    source: "The twin of barrier-behind-waiting-readers: one block has another semaphore",
    poolWidth: 1, stallSeconds: 10,
    blocksFreedBeforeBarrier),
]

/// Correct if the pool grows: until the last block arrives, the calls equal those of a hang.
private func blocksMeetBeforeBarrier() {
  final class Party: Sendable {
    private let arrived = Atomic(0)
    private let isComplete = DispatchSemaphore(value: 0)

    func meet() {
      if arrived.wrappingAdd(1, ordering: .relaxed).newValue == 4 {
        for _ in 0..<3 { isComplete.signal() }
      } else {
        isComplete.wait()
      }
    }
  }

  let party = Party()
  let steps = DispatchQueue(label: "steps", attributes: .concurrent)
  let finished = DispatchGroup()
  for _ in 0..<4 {
    steps.async(group: finished) { party.meet() }
  }
  steps.async(group: finished, flags: .barrier) {}
  finished.wait()
}

/// Correct if the pool grows: the fourth block waits for another semaphore, which is free.
private func blocksFreedBeforeBarrier() {
  let closed = DispatchSemaphore(value: 0)
  let open = DispatchSemaphore(value: 1)
  let steps = DispatchQueue(label: "steps", attributes: .concurrent)
  let finished = DispatchGroup()
  for own in [closed, closed, closed, open] {
    steps.async(group: finished) {
      own.wait()
      closed.signal()
    }
  }
  steps.async(group: finished, flags: .barrier) {}
  finished.wait()
  // libdispatch ends a process that frees a semaphore whose value is below its initial one.
  open.signal()
}
