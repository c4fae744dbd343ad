/// Which threads of a snapshot can continue, and which are stuck.
struct Liveness {
  /// The events from outside the snapshot's threads that may still happen.
  enum Hope: CaseIterable {
    /// Every possible event. A thread that is stuck under this assumption is stuck for certain.
    case all
    /// Like `all`, but pools do not grow because their threads wait.
    case noGrowth
    /// Like `noGrowth`, but no timer fires, no unseen code runs, and no other process ends a wait.
    case none
  }

  let index: WaitIndex
  let hope: Hope
  /// The threads that wait and cannot continue, ascending.
  private(set) var stuck: [Int] = []

  private var net = Reduction()
  private let anything: Int
  private var gates: [Diagnosis.Gate: Int] = [:]
  private var pools: [WaitIndex.ObjectID: Int] = [:]
  /// The node of each queue's blocks; `nil` if none are queued.
  private var blocks: [Int?]

  init(_ index: WaitIndex, hope: Hope) {
    self.index = index
    self.hope = hope
    blocks = Array(repeating: nil, count: index.queues.count)
    // Add the threads' nodes first, so that a thread's number equals its node's.
    for _ in index.threads { _ = net.add(needsAll: true) }
    anything = net.add(needsAll: false)
    for number in index.queues.indices where index.queues[number].queued > 0 {
      blocks[number] = net.add(needsAll: true)
    }
    for number in index.threads.indices {
      let needs = index.needs(of: number)
      connect(hope != .none && mayBeEndedOutside(number, needs) ? [] : needs, to: number)
      net.allow(number, for: anything)
    }
    for number in index.queues.indices {
      guard let node = blocks[number] else { continue }
      connect(index.needs(ofBlocksOn: number), to: node)
      net.allow(node, for: anything)
    }
    if hope != .none, Self.mayBeWoken(index) { net.allow(net.add(needsAll: true), for: anything) }
    net.run()
    stuck = index.threads.indices.filter { [net] number in
      index.threads[number].wait != nil && !net.isLive[number]
    }
  }

  /// True if a timer, or code that the snapshot does not show, may wake a thread.
  static func mayBeWoken(_ index: WaitIndex) -> Bool {
    index.snapshot.isPartial || isTimerSet(index)
  }

  /// True if a timer fires within a day, the longest limit that a user may set. XCTest sets a timer
  /// of a month while it waits for an asynchronous test.
  static func isTimerSet(_ index: WaitIndex) -> Bool {
    let day = 86_400.0
    return index.snapshot.nextTimer.map { $0 < day } ?? false
      || index.queues.contains {
        ($0.delayed > 0 || $0.nextDelayed != nil) && $0.nextDelayed ?? 0 < day
      }
  }

  /// True if another process may end a thread's wait. No other can if a thread of this process
  /// holds the lock.
  private func mayBeEndedOutside(_ number: Int, _ needs: [Need]) -> Bool {
    guard index.threads[number].wait?.isShared ?? false else { return false }
    return needs.allSatisfy { if case .anything = $0 { true } else { false } }
  }

  private mutating func connect(_ needs: [Need], to node: Int) {
    for need in needs { net.require(self.node(for: need), for: node) }
  }

  private mutating func node(for need: Need) -> Int {
    switch need {
    case .anything: return anything
    case .all(let gate, let threads): return node(for: gate, threads, needsAll: true)
    case .one(let gate, let threads): return node(for: gate, threads, needsAll: false)
    case .blocks(let queue): return blocks[queue] ?? anything
    case .pool(let root): return node(forPool: root)
    }
  }

  private mutating func node(for gate: Diagnosis.Gate, _ threads: [Int], needsAll: Bool) -> Int {
    if let node = gates[gate] { return node }
    let node = net.add(needsAll: needsAll)
    gates[gate] = node
    for thread in threads {
      if needsAll { net.require(thread, for: node) } else { net.allow(thread, for: node) }
    }
    return node
  }

  private mutating func node(forPool root: WaitIndex.ObjectID) -> Int {
    if let node = pools[root] { return node }
    let hasThread = hasThread(root)
    let node = net.add(needsAll: hasThread)
    pools[root] = node
    if !hasThread { for thread in index.workers[root] ?? [] { net.allow(thread, for: node) } }
    return node
  }

  /// True if a pool has a thread for one more block, or may get one.
  private func hasThread(_ root: WaitIndex.ObjectID) -> Bool {
    let workers = index.workers[root] ?? []
    let hasIdle = workers.contains {
      index.threads[$0].wait == nil && index.threads[$0].elsewhere == .idle
    }
    if hasIdle { return true }
    if let queue = index.queueAt[root], index.queues[queue].isOvercommit {
      return workers.count < WaitIndex.largestPool
    }
    let busy = index.busyWorkers(of: root).count
    if busy < index.snapshot.processors { return true }
    return hope == .all && busy < index.largestPlainPool
  }

  /// True if any thread or queued block can continue.
  var isAnythingLive: Bool { net.isLive[anything] }

  /// True if a thread can continue.
  func isLive(_ thread: Int) -> Bool { net.isLive[thread] }

  /// True if the blocks queued on a queue can begin, or none are queued.
  func canBegin(blocksOn queue: Int) -> Bool { blocks[queue].map { net.isLive[$0] } ?? true }

  /// True if a need of a thread or block will be met.
  func isMet(_ need: Need) -> Bool {
    switch need {
    case .anything: isAnythingLive
    case .all(let gate, _), .one(let gate, _): gates[gate].map { net.isLive[$0] } ?? false
    case .blocks(let queue): canBegin(blocksOn: queue)
    case .pool(let root): pools[root].map { net.isLive[$0] } ?? true
    }
  }
}
