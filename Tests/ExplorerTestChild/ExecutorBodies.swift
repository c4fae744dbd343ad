import Dispatch
import Foundation

/// Runs jobs on a serial queue of Dispatch.
private final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "executor")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// Runs jobs on a thread of its own, one after the other.
private final class ThreadExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
  // Unchecked: protected by the condition.
  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []
  private var isOver = false
  private let hasEnded = DispatchSemaphore(value: 0)
  /// If false, the thread may take a job and end it before the call that submits it returns.
  private let signalsUnderLock: Bool

  init(signalsUnderLock: Bool = true) { self.signalsUnderLock = signalsUnderLock }

  func start() {
    Thread.detachNewThread { [self] in
      while let job = next() { job.runSynchronously(on: asUnownedSerialExecutor()) }
      hasEnded.signal()
    }
  }

  private func next() -> UnownedJob? {
    condition.lock()
    defer { condition.unlock() }
    while jobs.isEmpty && !isOver { condition.wait() }
    return jobs.isEmpty ? nil : jobs.removeFirst()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.lock()
    jobs.append(job)
    if signalsUnderLock { condition.signal() }
    condition.unlock()
    if !signalsUnderLock { condition.signal() }
  }

  func stop() {
    condition.lock()
    isOver = true
    condition.signal()
    condition.unlock()
    hasEnded.wait()
  }
}

/// Runs tasks on a concurrent queue of Dispatch.
private final class PoolExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Runs a task at once, on the thread that makes or resumes it.
private final class InlineExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}

private actor Account {
  private let executor: (any SerialExecutor)?
  private let own = QueueExecutor()
  private(set) var balance = 0

  /// Without an executor, the actor runs on its own queue.
  init(on executor: (any SerialExecutor)? = nil) { self.executor = executor }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    (executor ?? own).asUnownedSerialExecutor()
  }

  func add() { balance += 1 }
  /// Reads, yields and writes: other calls may enter the actor in between.
  func addAcrossYield() async {
    let old = balance
    await Task.yield()
    balance = old + 1
  }
  func addAcrossAwait(_ other: Task<Void, Never>) async {
    let old = balance
    await other.value
    balance = old + 1
  }
  func add(_ name: String, to trail: Trail) { trail.append(name) }
  func add(_ name: String, after other: Task<Void, Never>, to trail: Trail) async {
    await other.value
    trail.append(name)
  }
}

private actor PlainAccount {
  private(set) var balance = 0
  func add() { balance += 1 }
  func addAcrossYield() async {
    let old = balance
    await Task.yield()
    balance = old + 1
  }
  func add(_ name: String, to trail: Trail) { trail.append(name) }
}

/// The balance after the tasks on an executor end; the executor runs until then.
private func balance(
  on executor: ThreadExecutor, _ work: @escaping @Sendable (Account) async -> Void
) -> Int {
  executor.start()
  let balance = Shared(0)
  runTask {
    let account = Account(on: executor)
    await work(account)
    balance.value = await account.balance
  }
  executor.stop()
  return balance.value
}

private func balanceOnQueue(_ work: @escaping @Sendable (Account) async -> Void) -> Int {
  let balance = Shared(0)
  runTask {
    let account = Account()
    await work(account)
    balance.value = await account.balance
  }
  return balance.value
}

/// Two tasks with the same work.
private func twice(_ work: @escaping @Sendable () async -> Void) async {
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<2 { group.addTask { await work() } }
  }
}

/// The balance after two tasks with the same work on an actor, both on one executor.
private func balance(
  preferring executor: any TaskExecutor,
  _ work: @escaping @Sendable (PlainAccount) async -> Void
) -> Int {
  let balance = Shared(0)
  runTask {
    let account = PlainAccount()
    let tasks = (0..<2).map { _ in
      Task(executorPreference: executor) { await work(account) }
    }
    for task in tasks { await task.value }
    balance.value = await account.balance
  }
  return balance.value
}

/// Runs a task whose executor is a thread; the thread runs until the task has ended.
private func runTask(
  on executor: ThreadExecutor, _ work: @escaping @Sendable () async -> Void
) {
  executor.start()
  runTask { await work() }
  executor.stop()
}

/// Two children, each of an `async let`, reach an actor in either order.
private func letBoth(_ account: PlainAccount, _ trail: Trail) async {
  async let first: Void = account.add("a", to: trail)
  async let second: Void = account.add("b", to: trail)
  _ = await (first, second)
}

/// The balance after two tasks that prefer a thread, which runs until the tasks have ended.
private func balanceOfTasks(on executor: ThreadExecutor) -> Int {
  executor.start()
  defer { executor.stop() }
  return balance(preferring: executor) { await $0.add() }
}

let executorBodies = [
  Body("queue-executor-reentrancy") {
    balanceOnQueue { account in await twice { await account.addAcrossYield() } } == 2
  },
  Body("queue-executor") {
    balanceOnQueue { account in await twice { await account.add() } } == 2
  },
  Body("thread-executor-reentrancy") {
    balance(on: ThreadExecutor()) { account in await twice { await account.addAcrossYield() } }
      == 2
  },
  Body("thread-executor") {
    balance(on: ThreadExecutor()) { account in await twice { await account.add() } } == 2
  },
  // The await leaves the executor only if the awaited task has not ended yet.
  Body("queue-executor-await") {
    balanceOnQueue { account in
      let other = Task {}
      let waiting = Task { await account.addAcrossAwait(other) }
      await account.add()
      await waiting.value
    } == 2
  },
  Body("pool-executor-reentrancy") {
    balance(preferring: PoolExecutor()) { await $0.addAcrossYield() } == 2
  },
  Body("pool-executor") { balance(preferring: PoolExecutor()) { await $0.add() } == 2 },
  Body("pool-executor-async-let") {
    balance(preferring: PoolExecutor()) { account in
      async let added: Void = account.add()
      await added
    } == 2
  },
  Body("pool-executor-async-let-reentrancy") {
    balance(preferring: PoolExecutor()) { account in
      async let added: Void = account.addAcrossYield()
      await added
    } == 2
  },
  Body("pool-executor-async-let-order") {
    let trail = Trail()
    runTask {
      let account = PlainAccount()
      await Task(executorPreference: PoolExecutor()) { await letBoth(account, trail) }.value
    }
    Outcomes.note(trail.text)
    return true
  },
  Body("thread-executor-async-let-order") {
    let trail = Trail()
    let executor = ThreadExecutor()
    runTask(on: executor) {
      let account = PlainAccount()
      await Task(executorPreference: executor) { await letBoth(account, trail) }.value
    }
    Outcomes.note(trail.text)
    return true
  },
  // The parent cancels the child, which sees the cancellation or has ended before it.
  Body("pool-executor-async-let-cancelled") {
    let trail = Trail(under: NSLock())
    runTask {
      await Task(executorPreference: PoolExecutor()) {
        async let _: Void = trail.append(Task.isCancelled ? "c" : "r")
        trail.append("p")
      }.value
    }
    Outcomes.note(trail.text)
    return true
  },
  Body("thread-executor-tasks") {
    let executor = ThreadExecutor()
    return balanceOfTasks(on: executor) == 2
  },
  Body("late-signal-executor-tasks") {
    let executor = ThreadExecutor(signalsUnderLock: false)
    return balanceOfTasks(on: executor) == 2
  },
  Body("late-signal-executor-group") {
    let executor = ThreadExecutor(signalsUnderLock: false)
    let count = Shared(0)
    runTask(on: executor) {
      let account = PlainAccount()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 { group.addTask(executorPreference: executor) { await account.add() } }
      }
      count.value = await account.balance
    }
    return count.value == 2
  },
  Body("late-signal-executor-async-let-order") {
    let trail = Trail()
    let executor = ThreadExecutor(signalsUnderLock: false)
    runTask(on: executor) {
      let account = PlainAccount()
      await Task(executorPreference: executor) { await letBoth(account, trail) }.value
    }
    Outcomes.note(trail.text)
    return true
  },
  Body("inline-executor") { balance(preferring: InlineExecutor()) { await $0.add() } == 2 },
  Body("queue-executor-order") {
    let trail = Trail()
    runTask {
      let account = Account()
      await withTaskGroup(of: Void.self) { group in
        for name in ["a", "b", "c"] { group.addTask { await account.add(name, to: trail) } }
      }
    }
    Outcomes.note(trail.text)
    return true
  },
  Body("pool-executor-order") {
    let trail = Trail()
    runTask {
      let account = PlainAccount()
      let executor = PoolExecutor()
      let tasks = ["a", "b", "c"].map { name in
        Task(executorPreference: executor) { await account.add(name, to: trail) }
      }
      for task in tasks { await task.value }
    }
    Outcomes.note(trail.text)
    return true
  },
  Body("queue-executor-await-order") {
    let trail = Trail(under: NSLock())
    runTask {
      let account = Account()
      let other = Task { trail.append("o") }
      let waiting = Task { await account.add("w", after: other, to: trail) }
      await account.add("a", to: trail)
      await waiting.value
    }
    Outcomes.note(trail.text)
    return true
  },
]
