import Foundation
import Programs

/// Adds to a number that it does not own.
private actor Keeper {
  private let counter: Counter

  init(_ counter: Counter) { self.counter = counter }

  func add(_ number: Int) { counter.add(number) }

  func addTwice() async {
    counter.add(1)
    await Task.yield()
    counter.add(1)
  }

  var value: Int { counter.value }
}

private actor Store {
  private var table: [Int: Int] = [:]
  private var loads = 0

  func value(of key: Int) async -> Int {
    if let found = table[key] { return found }
    loads += 1
    await Task.yield()
    table[key] = key
    return key
  }
}

/// Runs its jobs on a Dispatch queue of its own.
private actor QueueKeeper {
  private let executor = QueueExecutor()
  private var list: [Int] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func append(_ number: Int) { list.append(number) }
  var count: Int { list.count }
}

private final class QueueExecutor: SerialExecutor {
  let queue = DispatchQueue(label: "keeper")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

@globalActor
private actor Desk {
  static let shared = Desk()
}

@Desk private var papers = [1]

@Desk private func file(_ paper: Int) { papers.append(paper) }

private actor Closing {
  private let counter: Counter

  init(_ counter: Counter) { self.counter = counter }

  func add() { counter.add(1) }

  isolated deinit { counter.add(1) }
}

/// Actors, and code beside them.
let actorPrograms: [Program] = [
  Program(
    "unmarked-actor-bypassed", "a task reads beside the actor that writes", .races,
    twin: "it asks the actor",
    wrong: {
      let counter = Counter()
      let keeper = Keeper(counter)
      inTwoTasks {
        await keeper.add(1)
      } then: {
        use(counter.value)
      }
    },
    right: {
      let counter = Counter()
      let keeper = Keeper(counter)
      inTwoTasks {
        await keeper.add(1)
      } then: {
        use(await keeper.value)
      }
    }),
  Program(
    "two-actors-one-object", "two actors add to one number", .races,
    twin: "one actor adds for both tasks",
    wrong: {
      let counter = Counter()
      let (one, other) = (Keeper(counter), Keeper(counter))
      inTwoTasks {
        await one.add(1)
      } then: {
        await other.add(1)
      }
    },
    right: {
      let counter = Counter()
      let keeper = Keeper(counter)
      inTask {
        await withTaskGroup { group in
          for _ in 0..<50 { group.addTask { await keeper.add(1) } }
        }
        use(await keeper.value)
      }
    }),
  Program(
    "read-after-the-actor", "a task that was on an actor changes its number outside", .races,
    twin: "it changes it on the actor",
    wrong: {
      let counter = Counter()
      let keeper = Keeper(counter)
      inTwoTasks {
        await keeper.add(1)
        counter.add(1)
      } then: {
        await keeper.add(1)
      }
    },
    right: {
      let counter = Counter()
      let keeper = Keeper(counter)
      inTwoTasks {
        await keeper.addTwice()
      } then: {
        await keeper.addTwice()
      }
      use(counter.value)
    }),
  Program("actor-reentered", "tasks fill an actor's table across its awaits", .passes) {
    let store = Store()
    inTask {
      await withTaskGroup { group in
        for key in 0..<30 { group.addTask { use(await store.value(of: key % 5)) } }
      }
    }
  },
  Program("actor-with-an-executor", "tasks append on an actor that runs on a queue", .passes) {
    let keeper = QueueKeeper()
    inTask {
      await withTaskGroup { group in
        for number in 0..<30 { group.addTask { await keeper.append(number) } }
      }
      use(await keeper.count)
    }
  },
  Program("global-actor", "tasks append to a variable of a global actor", .passes) {
    inTask {
      await withTaskGroup { group in
        for number in 0..<30 { group.addTask { await file(number) } }
      }
    }
  },
  Program("isolated-deinit", "an actor's deinitializer reads what its methods wrote", .passes) {
    let counter = Counter()
    inTask {
      for _ in 0..<20 {
        let closing = Closing(counter)
        await closing.add()
      }
    }
  },
  Program("actor-to-actor", "a task carries an object from actor to actor", .passes) {
    inTask {
      let counter = Counter()
      for _ in 0..<10 {
        await Keeper(counter).add(1)
        await Keeper(counter).add(1)
      }
      use(counter.value)
    }
  },
]
