extension Diagnosis {
  /// A pool whose threads all wait, with queued blocks that cannot begin.
  package struct Starvation: Sendable, Hashable, Codable {
    /// A pool of threads.
    package enum Pool: Sendable, Hashable, Codable {
      /// A root queue: libdispatch's threads of one priority.
      case root(WaitSnapshot.ObjectID)
      /// A queue that runs Swift's tasks, as many at once as there are processors.
      case tasks(WaitSnapshot.ObjectID)
      /// The main queue: one thread.
      case main
      /// A serial queue, or a concurrent queue in a barrier: one thread at a time.
      case queue(WaitSnapshot.ObjectID)
    }

    /// Blocks that a stuck thread has enqueued and that cannot begin. The thread probably waits for
    /// them.
    package struct NeededBlocks: Sendable, Hashable, Codable {
      /// The queue of the blocks.
      package var queue: WaitSnapshot.ObjectID
      /// The number of these blocks.
      package var count: Int
      /// The number of blocks that threads of the pool take before the first of these blocks.
      package var ahead: Int
      /// The threads that enqueued such blocks.
      package var waiters: [Party]
      /// True if more threads may have enqueued such blocks than the snapshot lists.
      package var hasMoreWaiters: Bool
      /// True if the waiters are threads of the pool itself.
      package var isOwn: Bool

      /// Describes blocks.
      package init(
        queue: WaitSnapshot.ObjectID, count: Int, ahead: Int, waiters: [Party],
        hasMoreWaiters: Bool = false, isOwn: Bool
      ) {
        self.queue = queue
        self.count = count
        self.ahead = ahead
        self.waiters = waiters
        self.hasMoreWaiters = hasMoreWaiters
        self.isOwn = isOwn
      }
    }

    /// The pool.
    package var pool: Pool
    /// The pool's waiting threads.
    package var workers: [Party]
    /// The number of the pool's threads that run or wait.
    package var threads: Int
    /// The most threads that the pool may have.
    package var mostThreads: Int
    /// True if the pool gets more threads while all of them wait.
    package var grows: Bool
    /// The queues whose blocks cannot begin without the pool, the longest first.
    package var queues: [WaitSnapshot.ObjectID]
    /// The number of blocks on these queues, plus waiting synchronous calls.
    package var queued: Int
    /// The first of the needed blocks; `nil` if the needed blocks are unknown.
    package var needed: NeededBlocks?
    /// If only one thread waits, the chain of waits from it to the thread that blocks all of them.
    package var chain: [BlockedWait] = []
    /// The last thread of the chain, if no stuck thread is known to block it.
    package var innermost: Party?
    /// The number of other queues or pools that are dry.
    package var otherPools = 0
    /// The number of threads that the pool would need; `nil` if unknown.
    package var forecast: PoolForecast?

    /// Describes a pool.
    package init(
      pool: Pool, workers: [Party], threads: Int, mostThreads: Int, grows: Bool = false,
      queues: [WaitSnapshot.ObjectID], queued: Int, needed: NeededBlocks? = nil
    ) {
      self.pool = pool
      self.workers = workers
      self.threads = threads
      self.mostThreads = mostThreads
      self.grows = grows
      self.queues = queues
      self.queued = queued
      self.needed = needed
    }
  }
}
