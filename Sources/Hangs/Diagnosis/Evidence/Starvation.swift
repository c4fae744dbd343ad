extension Diagnosis {
  /// A pool whose threads all wait, with queued blocks that cannot begin.
  package struct Starvation: Sendable, Hashable, Codable {
    /// A pool of threads.
    package enum Pool: Sendable, Hashable, Codable {
      /// A root queue: libdispatch's threads of one priority.
      case root(WaitSnapshot.ObjectID)
      /// A queue that runs Swift's tasks: as many at once as there are processors.
      case tasks(WaitSnapshot.ObjectID)
      /// The main queue: one thread.
      case main
      /// A serial queue, or a concurrent one in a barrier: one thread at a time.
      case queue(WaitSnapshot.ObjectID)
    }

    /// Blocks that a stuck thread has enqueued and that cannot begin: it probably waits for them.
    package struct NeededBlocks: Sendable, Hashable, Codable {
      /// Their queue.
      package var queue: WaitSnapshot.ObjectID
      /// The number of these blocks.
      package var count: Int
      /// How many blocks are queued before the first of them for threads of the pool.
      package var ahead: Int
      /// The threads that have enqueued any of them.
      package var waiters: [Party]
      /// Whether more threads may have enqueued some than the snapshot lists.
      package var hasMoreWaiters: Bool
      /// Whether the waiters are the pool's own threads.
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
    /// Its threads that wait.
    package var workers: [Party]
    /// The number of its threads that run or wait.
    package var threads: Int
    /// How many threads it may have.
    package var mostThreads: Int
    /// Whether it gets more threads while all of them wait.
    package var grows: Bool
    /// The queues whose blocks cannot begin without it, the longest first.
    package var queues: [WaitSnapshot.ObjectID]
    /// The number of these blocks and of waiting synchronous calls.
    package var queued: Int
    /// The first of the needed blocks; `nil` if it is not known which are needed.
    package var needed: NeededBlocks?
    /// If only one thread waits: the chain of waits from it to the thread that blocks all of them.
    package var chain: [BlockedWait] = []
    /// The last thread of the chain, if no stuck thread is known to block it.
    package var innermost: Party?
    /// How many other queues or pools are dry.
    package var otherPools = 0
    /// How many threads the pool would need; `nil` if that is not known.
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
