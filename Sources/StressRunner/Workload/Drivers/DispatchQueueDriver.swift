import Dispatch
import Prediction
import Synchronization

/// One concurrent Dispatch queue, and a block for each caller: the test of the article on PINCache.
///
/// The queue is held until every block is on it. Without that, a loaded machine might let each
/// caller finish before the next is put on the queue, and what starves a thousand callers would
/// pass: then the verdict would hang on luck.
struct DispatchQueueDriver: Driver {
  func drive(_ run: PhaseRun) {
    let queue = DispatchQueue(label: "interlock.callers", attributes: .concurrent)
    queue.suspend()
    for caller in 0..<run.callers {
      queue.async { makeCalls(of: caller, from: 0, in: run, on: queue) }
    }
    queue.resume()
  }

  /// Makes a caller's calls on this thread for as long as each completes before it returns. A call
  /// that completes later (a subject with `async` functions only) continues the caller in a new
  /// block, because a caller that waited here for it would take a thread that the subject itself
  /// does not.
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

/// Where the return of a call and its completion meet, in whichever order they come.
private final class Meeting: Sendable {
  private let arrivals = Atomic<Int>(0)

  /// Notes an arrival, and tells whether it was the second; a third is a fault that is noted
  /// elsewhere.
  func isSecond() -> Bool {
    // Both: what the first did is seen by the second, who goes on.
    guard arrivals.add(1, ordering: .acquiringAndReleasing).newValue == 2 else { return false }
    Predictor.comesAfterAll()
    return true
  }
}
