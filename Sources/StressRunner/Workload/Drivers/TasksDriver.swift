import Dispatch

/// One task group, with a child task for each caller, all with the same priority.
///
/// Every call is awaited, including the asynchronous kinds.
struct TasksDriver: Driver {
  func drive(_ run: PhaseRun) {
    let ended = DispatchSemaphore(value: 0)
    Task.detached {
      await withDiscardingTaskGroup { group in
        for caller in 0..<run.callers {
          group.addTask { await makeCalls(of: caller, in: run) }
        }
      }
      ended.signal()
    }
    ended.wait()
  }

  private func makeCalls(of caller: Int, in run: PhaseRun) async {
    for index in 0..<run.callsPerCaller {
      let call = run.begin(caller: caller, index: index)
      call.complete(with: await run.subject.perform(call.operation))
    }
  }
}
