import Dispatch
import Foundation
import Programs

/// Tasks that wait for each other, and actors whose threads block; each with its correct twin.
let awaitPrograms: [Program] = [
  Program(
    "tasks-await-each-other", "a cache that loads each key once, and two keys that need each other",
    .hangs(.cycle),
    source: "WWDC 2021, \"Protect mutable state with Swift actors\": a cache of tasks",
    tasksAwaitEachOther),
  Program(
    "tasks-await-through-async-let",
    "a task awaits an async let, which awaits a task that awaits it", .hangs(.cycle),
    source: "SE-0317: an async let is a child task",
    tasksAwaitThroughAsyncLet),
  Program(
    "tasks-await-through-a-group",
    "a page loads its parts in a task group, and one part needs the page", .hangs(.cycle),
    source: "SE-0304: the scope of a group ends when each of its tasks has ended",
    tasksAwaitThroughAGroup),
  Program(
    "task-awaits-itself", "a cache that loads each key once, and a load that asks for its own key",
    .hangs(.itself),
    source: "WWDC 2021, \"Protect mutable state with Swift actors\": a cache of tasks",
    taskAwaitsItself),
  Program(
    "actor-blocked-by-semaphore", "a method of an actor blocks until another method of it signals",
    .hangs(.cycle), source: "WWDC 2021, \"Swift concurrency: Behind the scenes\", on semaphores",
    actorBlockedBySemaphore),
]

/// The correct twins.
let correctAwaitPrograms: [Program] = [
  Program(
    "tasks-await-in-one-order", "a cache that loads each key once, and keys that need later keys",
    .passes, source: "The twin of tasks-await-each-other and of task-awaits-itself",
    tasksAwaitInOneOrder),
  Program(
    "tasks-await-in-groups", "a page loads its parts in a task group, and two parts need a third",
    .passes, source: "The twin of tasks-await-through-a-group",
    tasksAwaitInGroups),
  Program(
    "tasks-await-a-sleeper", "a task awaits an async let, which awaits a task that sleeps", .passes,
    source: "The twin of tasks-await-through-async-let",
    tasksAwaitASleeper),
  Program(
    "actor-awaits-continuation",
    "a method of an actor awaits until another method of it resumes it", .passes,
    source: "The twin of actor-blocked-by-semaphore",
    actorAwaitsContinuation),
  Program(
    "actor-blocked-for-a-thread", "a method of an actor blocks until a thread signals; others wait",
    .passes, source: "A twin of actor-waits-for-itself",
    actorBlockedForAThread),
]

/// Blocks this thread until asynchronous code has ended.
private func waitFor(_ work: @escaping @Sendable () async -> Void) {
  let finished = DispatchSemaphore(value: 0)
  Task.detached {
    await work()
    finished.signal()
  }
  finished.wait()
}

/// Loads each key once: a second caller awaits the task of the first, as in WWDC 2021, "Protect
/// mutable state with Swift actors".
private actor Loader {
  private var loads: [String: Task<Int, Never>] = [:]
  private let needs: [String: String]

  init(needs: [String: String]) { self.needs = needs }

  func value(of key: String) async -> Int {
    if let load = loads[key] { return await load.value }
    let load = Task { await self.load(key) }
    loads[key] = load
    return await load.value
  }

  private func load(_ key: String) async -> Int {
    guard let other = needs[key] else { return 1 }
    return await value(of: other) + 1
  }
}

/// Wrong: the load of each key awaits the other's.
private func tasksAwaitEachOther() {
  let loader = Loader(needs: ["user": "team", "team": "user"])
  waitFor { _ = await loader.value(of: "user") }
}

/// Correct: no load awaits a load that awaits it.
private func tasksAwaitInOneOrder() {
  let loader = Loader(needs: ["user": "team", "guest": "team", "team": "site"])
  waitFor {
    async let user = loader.value(of: "user")
    async let guest = loader.value(of: "guest")
    _ = await (user, guest)
  }
}

/// Wrong: a load asks the cache for the key that it is loading.
private func taskAwaitsItself() {
  let loader = Loader(needs: ["user": "user"])
  waitFor { _ = await loader.value(of: "user") }
}

/// Wrong: the child task awaits a task that awaits the parent.
private func tasksAwaitThroughAsyncLet() {
  let (handles, handle) = AsyncStream.makeStream(of: Task<Int, Never>.self)
  let first = Task {
    for await second in handles {
      async let answer = second.value
      return await answer
    }
    return 0
  }
  let second = Task { await first.value }
  handle.yield(second)
  waitFor { _ = await first.value }
}

/// Loads each page once, its parts in a task group.
private actor PageLoader {
  private var loads: [String: Task<Int, Never>] = [:]
  private let parts: [String: [String]]

  init(parts: [String: [String]]) { self.parts = parts }

  func size(of page: String) async -> Int {
    if let load = loads[page] { return await load.value }
    let load = Task { await self.load(page) }
    loads[page] = load
    return await load.value
  }

  private func load(_ page: String) async -> Int {
    await withTaskGroup(of: Int.self) { group in
      for part in parts[page] ?? [] { group.addTask { await self.size(of: part) } }
      var size = 1
      while let part = await group.next() { size += part }
      return size
    }
  }
}

/// Wrong: a cycle through task groups. The page's task waits for its group, a child of which waits
/// for the part; the part's group has a child that waits for the page.
private func tasksAwaitThroughAGroup() {
  let loader = PageLoader(parts: ["page": ["text", "menu"], "menu": ["page"]])
  waitFor { _ = await loader.size(of: "page") }
}

/// Correct: no part needs a page that waits for it.
private func tasksAwaitInGroups() {
  let loader = PageLoader(parts: ["page": ["text", "menu"], "menu": ["icon"], "text": ["icon"]])
  waitFor { _ = await loader.size(of: "page") }
}

/// Correct: the same tasks, but the last one awaits a timer.
private func tasksAwaitASleeper() {
  let sleeper = Task { try? await Task.sleep(for: .seconds(1)) }
  let first = Task {
    async let slept: Void? = sleeper.value
    await slept
  }
  waitFor { await first.value }
}

/// Wrong: `pass` blocks the thread that runs the actor, and `open` needs the actor.
private func actorBlockedBySemaphore() {
  actor Gate {
    private let opened = DispatchSemaphore(value: 0)

    func pass(_ entered: AsyncStream<Void>.Continuation) {
      entered.yield()
      opened.wait()
    }

    func open() { opened.signal() }
  }

  let gate = Gate()
  let (entries, entered) = AsyncStream.makeStream(of: Void.self)
  Task.detached { await gate.pass(entered) }
  waitFor {
    for await _ in entries { break }
    await gate.open()
  }
}

/// Correct: an `await` leaves the actor.
private func actorAwaitsContinuation() {
  actor Gate {
    private var waiting: CheckedContinuation<Void, Never>?

    func pass(_ entered: AsyncStream<Void>.Continuation) async {
      await withCheckedContinuation {
        waiting = $0
        entered.yield()
      }
    }

    func open() { waiting.take()?.resume() }
  }

  let gate = Gate()
  let (entries, entered) = AsyncStream.makeStream(of: Void.self)
  let passed = Task.detached { await gate.pass(entered) }
  waitFor {
    for await _ in entries { break }
    try? await Task.sleep(for: .seconds(1))
    await gate.open()
    await passed.value
  }
}

/// Correct but unwise: the actor's thread blocks for a second, and the tasks that want to enter the
/// actor wait for it.
private func actorBlockedForAThread() {
  actor Store {
    private var count = 0

    func count(
      after answered: DispatchSemaphore, _ entered: AsyncStream<Void>.Continuation
    ) -> Int {
      entered.yield()
      answered.wait()
      return count
    }

    func increment() { count += 1 }
  }

  let store = Store()
  let answered = DispatchSemaphore(value: 0)
  let (entries, entered) = AsyncStream.makeStream(of: Void.self)
  let counted = Task.detached { await store.count(after: answered, entered) }
  Thread.detachNewThread {
    Thread.sleep(forTimeInterval: 1)
    answered.signal()
  }
  waitFor {
    for await _ in entries { break }
    await store.increment()
    _ = await counted.value
  }
}
