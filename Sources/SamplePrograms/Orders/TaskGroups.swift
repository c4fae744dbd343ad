import Programs

/// Tasks whose order, or whose end, is taken for granted.
let taskGroupPrograms: [Program] = [
  Program(
    "logged-out-of-order", "two unstructured tasks call an actor, and are expected in their order",
    .failsInSomeOrder(.violation), twin: "one task makes both calls"
  ) {
    let log = Log()
    let entries = inTask {
      let (first, second) = (Task { await log.add(1) }, Task { await log.add(2) })
      await first.value
      await second.value
      return await log.entries
    }
    try expect(entries == [1, 2], "the log is \(entries)")
  } right: {
    let log = Log()
    let entries = inTask {
      let task = Task {
        await log.add(1)
        await log.add(2)
      }
      await task.value
      return await log.entries
    }
    try expect(entries == [1, 2], "the log is \(entries)")
  },

  Program(
    "loser-has-sent-too", "the slower of two tasks sends before the faster one cancels it",
    .failsInSomeOrder(.violation), twin: "a task claims the request before it sends"
  ) {
    let sent = Guarded(0)
    inTask {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 {
          group.addTask { if !Task.isCancelled { sent.update { $0 += 1 } } }
        }
        await group.next()
        group.cancelAll()
      }
    }
    try expect(sent.value == 1, "the request was sent \(sent.value) times")
  } right: {
    let (sent, isClaimed) = (Guarded(0), Guarded(false))
    inTask {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 {
          group.addTask {
            let maySend = isClaimed.update { isClaimed in
              defer { isClaimed = true }
              return !isClaimed
            }
            if maySend { sent.update { $0 += 1 } }
          }
        }
        await group.next()
        group.cancelAll()
      }
    }
    try expect(sent.value == 1, "the request was sent \(sent.value) times")
  },

  Program(
    "children-in-order-of-the-end",
    "results of a task group are expected in the order of its tasks", .failsInSomeOrder(.violation),
    twin: "each result has the number of its task"
  ) {
    let results = inTask {
      await withTaskGroup(of: Int.self) { group in
        for number in 1...2 { group.addTask { number } }
        return await group.reduce(into: []) { $0.append($1) }
      }
    }
    try expect(results == [1, 2], "the results are \(results)")
  } right: {
    let results = inTask {
      await withTaskGroup(of: Int.self) { group in
        for number in 1...2 { group.addTask { number } }
        return await group.reduce(into: [0, 0]) { $0[$1 - 1] = $1 }
      }
    }
    try expect(results == [1, 2], "the results are \(results)")
  },

  Program(
    "flushed-before-the-last-entry", "a flush counts the entries while a task still adds one",
    .failsInSomeOrder(.violation), twin: "the flush awaits the tasks that add"
  ) {
    let log = Log()
    let flushed = inTask {
      let adding = Task { await log.add(1) }
      let count = await log.entries.count
      await adding.value
      return count
    }
    try expect(flushed == 1, "the flush wrote \(flushed) of 1 entries")
  } right: {
    let log = Log()
    let flushed = inTask {
      let adding = Task { await log.add(1) }
      await adding.value
      return await log.entries.count
    }
    try expect(flushed == 1, "the flush wrote \(flushed) of 1 entries")
  },

  Program(
    "async-let-of-two-steps", "two concurrent bindings read and write one value of an actor",
    .failsInSomeOrder(.violation), twin: "the bindings are awaited one after the other"
  ) {
    let log = Log()
    let entries = inTask {
      async let first: Void = log.addNext()
      async let second: Void = log.addNext()
      _ = await (first, second)
      return await log.entries
    }
    try expect(entries == [1, 2], "the log is \(entries)")
  } right: {
    let log = Log()
    let entries = inTask {
      async let first: Void = log.addNext()
      await first
      async let second: Void = log.addNext()
      await second
      return await log.entries
    }
    try expect(entries == [1, 2], "the log is \(entries)")
  },
]

private actor Log {
  private(set) var entries: [Int] = []

  func add(_ entry: Int) { entries.append(entry) }

  func addNext() async {
    let next = entries.count + 1
    await Task.yield()
    entries.append(next)
  }
}
