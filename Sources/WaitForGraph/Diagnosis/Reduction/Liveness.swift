import Interlock

/// Which threads of a snapshot can go on, and which are stuck.
struct Liveness {
  /// What may still come that nobody in the snapshot does.
  enum Hope: CaseIterable {
    /// Everything that could: who is stuck now is stuck for certain.
    case all
    /// As before, but no pool gets another thread because its threads wait.
    case noGrowth
    /// As before, and no timer fires, and nothing runs that was not seen.
    case none
  }

  let index: WaitIndex
  let hope: Hope
  /// The threads that wait and cannot go on, ascending.
  private(set) var stuck: [Int] = []

  private var net = Reduction()
  private let anybody: Int
  private var gates: [Need.Gate: Int] = [:]
  private var pools: [WaitIndex.ObjectID: Int] = [:]
  /// The node of a queue's blocks; `nil` where none are queued.
  private var blocks: [Int?]

  init(_ index: WaitIndex, hope: Hope) {
    self.index = index
    self.hope = hope
    blocks = Array(repeating: nil, count: index.queues.count)
    // The threads' nodes come first: a thread's number is its node's.
    for _ in index.threads { _ = net.add(needsAll: true) }
    anybody = net.add(needsAll: false)
    for number in index.queues.indices where index.queues[number].queued > 0 {
      blocks[number] = net.add(needsAll: true)
    }
    for number in index.threads.indices {
      connect(index.needs(of: number), to: number)
      net.allow(number, for: anybody)
    }
    for number in index.queues.indices {
      guard let node = blocks[number] else { continue }
      connect(index.needs(ofBlocksOn: number), to: node)
      net.allow(node, for: anybody)
    }
    if hope != .none, Self.mayBeWoken(index) { net.allow(net.add(needsAll: true), for: anybody) }
    net.run()
    stuck = index.threads.indices.filter { [net] number in
      index.threads[number].wait != nil && !net.isLive[number]
    }
  }

  /// Whether time, or something that is not in the snapshot, may wake somebody.
  static func mayBeWoken(_ index: WaitIndex) -> Bool {
    index.snapshot.isPartial || isTimerSet(index)
  }

  /// Whether a thread is woken when its time has come, within a day: the longest limit that a user
  /// may set. XCTest sets a timer of a month wherever it waits for an asynchronous test.
  static func isTimerSet(_ index: WaitIndex) -> Bool {
    let day = 86_400.0
    return index.snapshot.nextTimer.map { $0 < day } ?? false
      || index.queues.contains {
        ($0.delayed > 0 || $0.nextDelayed != nil) && $0.nextDelayed ?? 0 < day
      }
  }

  private mutating func connect(_ needs: [Need], to node: Int) {
    for need in needs { net.require(self.node(for: need), for: node) }
  }

  private mutating func node(for need: Need) -> Int {
    switch need {
    case .anybody: return anybody
    case .all(let gate, let threads): return node(for: gate, threads, needsAll: true)
    case .one(let gate, let threads): return node(for: gate, threads, needsAll: false)
    case .blocks(let queue): return blocks[queue] ?? anybody
    case .pool(let root): return node(forPool: root)
    }
  }

  private mutating func node(for gate: Need.Gate, _ threads: [Int], needsAll: Bool) -> Int {
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

  /// Whether a pool has a thread for one more block, or may get one.
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

  /// Whether anybody at all can go on.
  var isAnybodyLive: Bool { net.isLive[anybody] }

  /// Whether a thread can go on.
  func isLive(_ thread: Int) -> Bool { net.isLive[thread] }

  /// Whether the blocks that are queued on a queue can begin; `true` where none are.
  func canBegin(blocksOn queue: Int) -> Bool { blocks[queue].map { net.isLive[$0] } ?? true }

  /// Whether something that somebody here needs comes.
  func isMet(_ need: Need) -> Bool {
    switch need {
    case .anybody: isAnybodyLive
    case .all(let gate, _), .one(let gate, _): gates[gate].map { net.isLive[$0] } ?? false
    case .blocks(let queue): canBegin(blocksOn: queue)
    case .pool(let root): pools[root].map { net.isLive[$0] } ?? true
    }
  }
}
