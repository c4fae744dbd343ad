import CInterlockHarness
import Dispatch
import Prediction
import Synchronization

/// One concurrent Dispatch queue, and a block for each caller: the test of the article on PINCache.
///
/// No caller begins until every block is enqueued. Otherwise, on a loaded machine, each caller may
/// finish before the next is enqueued, and a cache that starves with a thousand callers may pass.
/// Blocks that wait hold all threads of the pool meanwhile. A suspended queue does not suffice: one
/// of the pool's threads passes its blocks on once it is resumed, and if that thread is preempted,
/// a caller's own block comes between them. An exploration chooses the moments itself.
struct DispatchQueueDriver: Driver {
  func drive(_ run: PhaseRun) {
    let queue = DispatchQueue(label: "interlock.callers", attributes: .concurrent)
    let start = DispatchGroup()
    start.enter()
    if !run.isExplored {
      for _ in 0..<INTERLOCK_POOL_WIDTH_MOST { queue.async { start.wait() } }
    }
    for caller in 0..<run.callers {
      queue.async { makeCalls(of: caller, from: 0, in: run, on: queue) }
    }
    start.leave()
  }

  /// Makes a caller's calls on this thread as long as each completes before it returns.
  ///
  /// A call that completes later (a subject with only `async` functions) continues the caller in a
  /// new block: if the caller waited here, it would occupy a thread, which the subject itself does
  /// not.
  private func makeCalls(
    of caller: Int, from first: Int, in run: PhaseRun, on queue: DispatchQueue
  ) {
    for index in first..<run.callsPerCaller {
      let call = run.begin(caller: caller, index: index)
      if call.operation.kind.isAsynchronous {
        run.subject.perform(call.operation) { call.complete(with: $0) }
        continue
      }
      let meeting = Meeting()
      run.subject.perform(call.operation) { reply in
        call.complete(with: reply)
        if meeting.isSecond() {
          queue.async { makeCalls(of: caller, from: index + 1, in: run, on: queue) }
        }
      }
      guard meeting.isSecond() else { return }
    }
  }
}

/// Joins the return of a call and its completion, in either order.
private final class Meeting: Sendable {
  private let arrivals = Atomic<Int>(0)

  /// Records an arrival. Returns true for the second; a third is a fault that is recorded
  /// elsewhere.
  func isSecond() -> Bool {
    // Acquiring and releasing: the second arrival, which continues the caller, sees what the first
    // did.
    guard arrivals.add(1, ordering: .acquiringAndReleasing).newValue == 2 else { return false }
    Predictor.comesAfterAll()
    return true
  }
}
