import Dispatch
import ProcessInspection

/// A dedicated thread for each caller, all released at the same moment. In an exploration the
/// explorer chooses the order instead.
///
/// No caller takes a thread from a pool: this is the control for every starvation scenario.
struct ThreadsDriver: Driver {
  func drive(_ run: PhaseRun) {
    guard !run.isExplored else {
      let threads = (0..<run.callers).map { caller in
        DedicatedThread { makeCalls(of: caller, in: run) }
      }
      for thread in threads { thread.join() }
      return
    }
    let arrived = DispatchSemaphore(value: 0)
    let start = DispatchGroup()
    start.enter()
    let threads = (0..<run.callers).map { caller in
      DedicatedThread {
        arrived.signal()
        start.wait()
        makeCalls(of: caller, in: run)
      }
    }
    for _ in threads { arrived.wait() }
    start.leave()
    for thread in threads { thread.join() }
  }

  private func makeCalls(of caller: Int, in run: PhaseRun) {
    let completed = DispatchSemaphore(value: 0)
    for index in 0..<run.callsPerCaller {
      let call = run.begin(caller: caller, index: index)
      if call.operation.kind.isAsynchronous {
        run.subject.perform(call.operation) { call.complete(with: $0) }
      } else {
        run.subject.perform(call.operation) { reply in
          call.complete(with: reply)
          completed.signal()
        }
        completed.wait()
      }
    }
  }
}
