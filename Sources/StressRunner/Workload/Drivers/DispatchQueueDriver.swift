import CInterlockHarness
import Dispatch
import Prediction
import Synchronization

/// One concurrent Dispatch queue, with a block for each caller: the test of the article on
/// PINCache.
///
/// No caller begins until every block is enqueued. Otherwise, on a loaded machine, each caller may
/// finish before the next one is enqueued, and a cache that starves with a thousand callers may
/// pass. Waiting blocks hold all threads of the pool meanwhile. Suspending the queue is not enough:
/// when it is resumed, one of the pool's threads passes its blocks on, and if that thread is
/// preempted, a caller's own block runs in between. In an exploration the explorer chooses the
/// order instead.
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
  /// new block. If the caller waited here, it would occupy a thread, which the subject itself does
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

  /// Records an arrival. Returns true for the second one. A third is a fault that is recorded
  /// elsewhere.
  func isSecond() -> Bool {
    // Acquiring and releasing: the second arrival, which continues the caller, sees the work of the
    // first.
    guard arrivals.add(1, ordering: .acquiringAndReleasing).newValue == 2 else { return false }
    Predictor.comesAfterAll()
    return true
  }
}
