/// A snapshot's threads and queues, indexed by what they hold, run on and wait for.
///
/// Threads and queues are numbered by their position in ascending order of system thread id or
/// address, so the order in the snapshot does not matter. All lists of threads are ascending.
package struct WaitIndex {
  package typealias ObjectID = WaitSnapshot.ObjectID

  /// The most threads of a pool on Linux.
  static let largestPool = 255
  /// The most threads of a pool that starts with one thread per processor. It equals `largestPool`
  /// unless there are more processors.
  var largestPlainPool: Int { max(Self.largestPool, snapshot.processors) }
  /// The label of the queues that run Swift's tasks, on Linux.
  static let taskQueueLabel = "Swift global concurrent queue"

  package let snapshot: WaitSnapshot
  /// The threads, then the tasks that wait without a thread, with their addresses as numbers. A
  /// task waits and blocks others like a thread.
  package let threads: [WaitSnapshot.Thread]
  /// The number of elements of `threads` that are threads.
  package let threadCount: Int
  package let queues: [WaitSnapshot.Queue]
  package let signals: [ObjectID: WaitSnapshot.Signal]
  /// The locks that an ended thread left locked.
  package let leftLocks: [ObjectID: WaitSnapshot.LeftLock]
  package let threadAt: [Int: Int]
  /// The threads that run a task while they wait, by task.
  let runningTask: [ObjectID: Int]
  package let queueAt: [ObjectID: Int]
  /// The chain of targets of each queue: the queue itself, its target, the target's target, and so
  /// on.
  package let chains: [[Int]]
  let mainThread: Int?

  /// The threads that hold a lock, and those that hold it for writing.
  package private(set) var holders: [ObjectID: [Int]] = [:]
  private(set) var writers: [ObjectID: [Int]] = [:]
  /// The pool threads that still own a lock which one of their ended blocks left locked.
  package private(set) var leavers: [ObjectID: [Int]] = [:]
  /// The threads that hold a semaphore used as a lock.
  private(set) var semaphoreHolders: [ObjectID: [Int]] = [:]
  /// The threads that wait to write.
  private(set) var writeWaiters: [ObjectID: [Int]] = [:]
  /// The threads that run a block of a queue; those that run a barrier; those that run a task's
  /// job.
  private(set) var runners: [ObjectID: [Int]] = [:]
  private(set) var barrierRunners: [ObjectID: [Int]] = [:]
  private(set) var jobRunners: [ObjectID: [Int]] = [:]
  /// The threads that run a block of a queue, or of a queue that targets it, by queue.
  private(set) var occupants: [ObjectID: [Int]] = [:]
  /// The threads that run a part of `concurrentPerform`.
  private(set) var appliers: [ObjectID: [Int]] = [:]
  /// The threads that call a concurrent queue with a barrier, and all threads that call a queue.
  private(set) var barrierWaiters: [ObjectID: [Int]] = [:]
  private(set) var queueWaiters: [ObjectID: [Int]] = [:]
  /// The threads that run a work item, and those that run a block of a group.
  private(set) var inWorkItem: [ObjectID: [Int]] = [:]
  private(set) var members: [ObjectID: [Int]] = [:]
  /// The tasks in a group, and the threads that run such tasks, by the task that created them.
  private(set) var groupTasks: [ObjectID: [Int]] = [:]
  /// The threads of a pool.
  private(set) var workers: [ObjectID: [Int]] = [:]
  /// The threads that run a block, by the number of the thread that enqueued it.
  private(set) var startedBy: [Int: [Int]] = [:]
  /// The threads that a thread has started, by its number; without pool threads.
  private(set) var children: [Int: [Int]] = [:]
  /// The queues with blocks that a thread has enqueued, by its number.
  private(set) var enqueuedBy: [Int: [Int]] = [:]

  /// Indexes a snapshot.
  package init(_ snapshot: WaitSnapshot) {
    self.snapshot = snapshot
    threadCount = snapshot.threads.count
    threads =
      snapshot.threads.sorted { $0.id < $1.id }
      + snapshot.awaits.sorted { $0.task < $1.task }.map {
        var task = WaitSnapshot.Thread(
          id: Int(bitPattern: $0.task),
          wait: WaitSnapshot.Wait(kind: $0.kind, object: $0.object, place: $0.place))
        task.parentTask = $0.parentTask
        return task
      }
    queues = snapshot.queues.sorted { $0.id < $1.id }
    signals = Dictionary(snapshot.signals.map { ($0.id, $0) }) { first, _ in first }
    leftLocks = Dictionary(snapshot.leftLocks.map { ($0.object, $0) }) { first, _ in first }
    threadAt = Dictionary(threads.indices.map { [threads] in (threads[$0].id, $0) }) { first, _ in
      first
    }
    queueAt = Dictionary(queues.indices.map { [queues] in (queues[$0].id, $0) }) { first, _ in
      first
    }
    runningTask = Dictionary(
      threads.indices.compactMap { [threads] number in threads[number].task.map { ($0, number) } }
    ) { first, _ in first }
    mainThread = threads.firstIndex { $0.isMain }
    chains = queues.indices.map { [queues, queueAt] in Self.chain(of: $0, queues, queueAt) }
    for number in threads.indices { add(number) }
    for number in queues.indices {
      for thread in Set(queues[number].blocks.flatMap(\.enqueuedBy)) {
        enqueuedBy[thread, default: []].append(number)
      }
    }
  }

  private static func chain(
    of first: Int, _ queues: [WaitSnapshot.Queue], _ queueAt: [ObjectID: Int]
  ) -> [Int] {
    var chain = [first]
    while let target = queues[chain[chain.count - 1]].target, let next = queueAt[target],
      !chain.contains(next)
    {
      chain.append(next)
    }
    return chain
  }

  private mutating func add(_ number: Int) {
    let thread = threads[number]
    for held in thread.held {
      switch held.kind {
      case .semaphore:
        if (signals[held.object]?.value ?? 1) == 1 {
          Self.append(number, to: &semaphoreHolders[held.object, default: []])
        }
      case .mutex where held.isLeft, .readLock where held.isLeft, .writeLock where held.isLeft:
        Self.append(number, to: &leavers[held.object, default: []])
      case .mutex, .swiftMutex, .initializer, .readLock, .writeLock, .actor:
        Self.append(number, to: &holders[held.object, default: []])
        if held.kind == .writeLock { Self.append(number, to: &writers[held.object, default: []]) }
      default: break
      }
    }
    for run in thread.runs { add(run, of: number) }
    if let pool = thread.pool {
      workers[pool, default: []].append(number)
    } else if thread.startedBy != 0 {
      children[thread.startedBy, default: []].append(number)
    }
    if let parent = thread.parentTask { groupTasks[parent, default: []].append(number) }
    guard let wait = thread.wait else { return }
    switch wait.kind {
    case .writeLock: writeWaiters[wait.object, default: []].append(number)
    case .queue where !wait.isApply:
      queueWaiters[wait.object, default: []].append(number)
      if wait.isBarrier { barrierWaiters[wait.object, default: []].append(number) }
    default: break
    }
  }

  private mutating func add(_ run: WaitSnapshot.Run, of number: Int) {
    let thread = threads[number]
    Self.append(number, to: &runners[run.queue, default: []])
    if run.isBarrier { Self.append(number, to: &barrierRunners[run.queue, default: []]) }
    if run.isJob { Self.append(number, to: &jobRunners[run.queue, default: []]) }
    if run.enqueuedBy != 0, run.enqueuedBy != thread.id {
      Self.append(number, to: &startedBy[run.enqueuedBy, default: []])
    }
    if let item = run.workItem { Self.append(number, to: &inWorkItem[item, default: []]) }
    if let group = run.group { Self.append(number, to: &members[group, default: []]) }
    if run.isApply { Self.append(number, to: &appliers[run.queue, default: []]) }
    let chain = queueAt[run.queue].map { chains[$0].map { queues[$0].id } } ?? [run.queue]
    for queue in chain { Self.append(number, to: &occupants[queue, default: []]) }
  }

  private static func append(_ number: Int, to list: inout [Int]) {
    if list.last != number { list.append(number) }
  }

  /// True if an ascending list contains a thread. Binary search.
  static func contains(_ number: Int, in list: [Int]) -> Bool {
    var low = 0
    var high = list.count
    while low < high {
      let middle = (low + high) / 2
      if list[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low < list.count && list[low] == number
  }

  /// The locks that tasks held when they left their thread. The thread has ended, or runs other
  /// code.
  package var heldByTasks: [WaitSnapshot.Held] {
    let ended = leftLocks.values.sorted { $0.object < $1.object }.map {
      WaitSnapshot.Held(
        kind: $0.kind, object: $0.object, place: $0.place, isLeft: true, leftBy: $0.leftBy)
    }
    return (threads.flatMap(\.held) + ended).filter { $0.leftBy != nil }
  }

  /// True if an element of `threads` is a task without a thread.
  package func isTask(_ number: Int) -> Bool { number >= threadCount }

  /// The thread or task at a position in `threads`.
  package func party(_ number: Int) -> Diagnosis.Party {
    let id = threads[number].id
    return isTask(number) ? .task(ObjectID(bitPattern: id)) : .thread(id)
  }

  /// The position in `threads` of a thread or task; `nil` if the snapshot does not have it.
  package func position(of party: Diagnosis.Party) -> Int? {
    switch party {
    case .thread(let number): threadAt[number]
    case .task(let address): threadAt[Int(bitPattern: address)]
    }
  }

  /// The position in `threads` of a waiting task, with or without a thread; `nil` for other tasks.
  package func party(ofTask task: ObjectID) -> Int? {
    runningTask[task] ?? threadAt[Int(bitPattern: task)]
  }

  /// The root queue at the end of a queue's chain of targets; `nil` if unknown.
  package func root(of queue: Int) -> Int? {
    guard let last = chains[queue].last, queues[last].isRoot else { return nil }
    return last
  }

  /// True if only the main thread runs a queue's blocks.
  package func isMain(_ queue: Int) -> Bool { chains[queue].contains { queues[$0].isMain } }

  /// True if a queue runs Swift's tasks, as many at once as there are processors.
  package func isTaskQueue(_ queue: Int) -> Bool {
    let queue = queues[queue]
    guard !queue.isMain, !queue.isRoot, queue.width != 1 else { return false }
    return queue.label == Self.taskQueueLabel || queue.blocks.contains { $0.isJob }
      || jobRunners[queue.id] != nil
  }

  /// The number of a task queue's jobs that run at once.
  func taskWidth(of queue: Int) -> Int {
    queues[queue].width > 1 ? queues[queue].width : snapshot.processors
  }

  /// The threads of a pool that run a block, or wait in one.
  func busyWorkers(of root: ObjectID) -> [Int] {
    (workers[root] ?? []).filter { threads[$0].wait != nil || !threads[$0].runs.isEmpty }
  }
}
