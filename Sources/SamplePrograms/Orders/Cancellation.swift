import Dispatch
import Programs

/// Tasks that are cancelled, started and stopped.
let cancellationPrograms: [Program] = [
  Program(
    "written-after-cancel", "a task writes after its owner has cancelled it and cleaned up",
    .failsInSomeOrder(.violation), twin: "the owner awaits the cancelled task before it cleans up"
  ) {
    let file = Guarded<String?>("")
    let wroteToClosed = inTask {
      let task = Task {
        if Task.isCancelled { return false }
        return file.value == nil
      }
      task.cancel()
      file.set(nil)
      return await task.value
    }
    try expect(!wroteToClosed, "the task wrote to a closed file")
  } right: {
    let file = Guarded<String?>("")
    let wroteToClosed = inTask {
      let task = Task {
        if Task.isCancelled { return false }
        return file.value == nil
      }
      task.cancel()
      let wrote = await task.value
      file.set(nil)
      return wrote
    }
    try expect(!wroteToClosed, "the task wrote to a closed file")
  },

  Program(
    "stopped-before-the-task-is-kept", "stop() finds no task, because start() still awaits",
    .failsInSomeOrder(.violation), twin: "start() keeps its task before it awaits"
  ) {
    let service = Service()
    let isRunning = inTask {
      await inTasks({ await service.start() }, { await service.stop() })
      return await service.isRunningAfterStop
    }
    try expect(!isRunning, "the service runs after it was stopped")
  } right: {
    let service = Service()
    let isRunning = inTask {
      await inTasks({ await service.startChecking() }, { await service.stop() })
      return await service.isRunningAfterStop
    }
    try expect(!isRunning, "the service runs after it was stopped")
  },

  Program(
    "answer-lost-to-a-time-out", "a connection is opened after its time-out, and is lost",
    .failsInSomeOrder(.violation), twin: "the attempt that lost closes its connection"
  ) {
    let open = Guarded(0)
    let got = inTask {
      await firstOf(
        {
          // Opening takes as long as the time-out.
          await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + 1) { continuation.resume() }
          }
          open.update { $0 += 1 }
          return true
        },
        {
          try? await Task.sleep(for: .seconds(1))
          return false
        })
    }
    try expect(open.value == (got ? 1 : 0), "\(open.value) connections are open, used: \(got)")
  } right: {
    let open = Guarded(0)
    let got = inTask {
      let isDecided = Guarded(false)
      return await firstOf(
        {
          await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + 1) { continuation.resume() }
          }
          open.update { $0 += 1 }
          let isFirst = isDecided.update { isDecided in
            defer { isDecided = true }
            return !isDecided
          }
          if !isFirst { open.update { $0 -= 1 } }
          return isFirst
        },
        {
          try? await Task.sleep(for: .seconds(1))
          return isDecided.update { isDecided in
            defer { isDecided = true }
            return isDecided
          }
        })
    }
    try expect(open.value == (got ? 1 : 0), "\(open.value) connections are open, used: \(got)")
  },

  Program(
    "paid-and-cancelled", "an order is cancelled between its check and its payment",
    .failsInSomeOrder(.violation),
    twin: "the payment and the cancellation change one state under its lock"
  ) {
    let (isCancelled, isPaid) = (Guarded(false), Guarded(false))
    inTask {
      await inTasks(
        {
          if isCancelled.value { return }
          await Task.yield()
          isPaid.set(true)
        },
        { if !isPaid.value { isCancelled.set(true) } })
    }
    let both = isCancelled.value && isPaid.value
    try expect(!both, "a cancelled order was paid")
  } right: {
    let state = Guarded("placed")
    inTask {
      await inTasks(
        {
          if state.value == "cancelled" { return }
          await Task.yield()
          state.update { if $0 == "placed" { $0 = "paid" } }
        },
        { state.update { if $0 == "placed" { $0 = "cancelled" } } })
    }
    try expect(state.value != "placed", "the order is neither paid nor cancelled")
  },
]

/// The first result of two; the other one is cancelled and awaited.
private func firstOf(
  _ first: @escaping @Sendable () async -> Bool, _ second: @escaping @Sendable () async -> Bool
) async -> Bool {
  await withTaskGroup(of: Bool.self) { group in
    group.addTask(operation: first)
    group.addTask(operation: second)
    let result = await group.next()!
    group.cancelAll()
    return result
  }
}

private actor Service {
  private var task: Task<Void, Never>?
  private var isStopped = false
  var isRunningAfterStop: Bool { isStopped && task != nil && task?.isCancelled == false }

  func start() async {
    await Task.yield()
    task = Task {}
  }

  func startChecking() async {
    await Task.yield()
    if !isStopped { task = Task {} }
  }

  func stop() {
    isStopped = true
    task?.cancel()
  }
}
