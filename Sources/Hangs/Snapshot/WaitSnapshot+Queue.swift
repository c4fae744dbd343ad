package import Interlock

extension WaitSnapshot {
  /// A Dispatch queue.
  package struct Queue: Sendable, Hashable, Codable {
    /// Its address.
    package var id: ObjectID
    /// Its label; empty for none.
    package var label: String
    /// How many of its blocks may run at once: 1 for a serial queue, 0 if it is not known.
    package var width: Int
    /// The queue that it targets; `nil` for a root queue, and if it is not known.
    package var target: ObjectID?
    /// Whether only the main thread runs its blocks.
    package var isMain: Bool
    /// Whether it is a root queue: a pool of threads.
    package var isRoot: Bool
    /// Whether that pool may have 255 threads at once; others start with one for each processor.
    package var isOvercommit: Bool
    /// Whether it is suspended: no queued block begins.
    package var isSuspended: Bool
    /// Whether its blocks are known to reach the pool in the order in which they were enqueued: it
    /// was never suspended or retargeted, and had no barrier.
    package var keepsOrder: Bool
    /// How many blocks have not begun.
    package var queued: Int
    /// How many blocks will be enqueued at a later time.
    package var delayed: Int
    /// The seconds until the first of them; `nil` for none.
    package var nextDelayed: Double?
    /// How many blocks are enqueued when a group becomes empty.
    package var onGroups: Int
    /// The first of the queued blocks; neighbours from one place are together.
    package var blocks: [QueuedBlocks]

    /// Describes a queue.
    package init(
      id: ObjectID, label: String = "", width: Int = 1, target: ObjectID? = nil,
      isMain: Bool = false, isRoot: Bool = false, isOvercommit: Bool = false,
      isSuspended: Bool = false, keepsOrder: Bool = false, queued: Int = 0, delayed: Int = 0,
      nextDelayed: Double? = nil, onGroups: Int = 0, blocks: [QueuedBlocks] = []
    ) {
      self.id = id
      self.label = label
      self.width = width
      self.target = target
      self.isMain = isMain
      self.isRoot = isRoot
      self.isOvercommit = isOvercommit
      self.isSuspended = isSuspended
      self.keepsOrder = keepsOrder
      self.queued = queued
      self.delayed = delayed
      self.nextDelayed = nextDelayed
      self.onGroups = onGroups
      self.blocks = blocks
    }
  }

  /// Neighbouring blocks in a queue that one place enqueued.
  package struct QueuedBlocks: Sendable, Hashable, Codable {
    /// The number of blocks.
    package var count: Int
    /// Where they were enqueued.
    package var place: [StackFrame]
    /// The threads that enqueued them, at most 256.
    package var enqueuedBy: [Int]
    /// Whether they are barriers.
    package var isBarrier: Bool
    /// Whether they are jobs of Swift Concurrency.
    package var isJob: Bool
    /// How many blocks are queued before the first of them for threads of the same pool.
    package var ahead: Int
    /// The number of their code, if a thread that waits runs a block of the same code; 0 otherwise.
    package var code: UInt64
    /// As `Run.sureWait`, if a thread that waits runs a block with this number; 0 otherwise.
    package var sureWait: UInt64

    /// Describes blocks.
    package init(
      count: Int, place: [StackFrame] = [], enqueuedBy: [Int] = [], isBarrier: Bool = false,
      isJob: Bool = false, ahead: Int = 0, code: UInt64 = 0, sureWait: UInt64 = 0
    ) {
      self.sureWait = sureWait
      self.code = code
      self.count = count
      self.place = place
      self.enqueuedBy = enqueuedBy
      self.isBarrier = isBarrier
      self.isJob = isJob
      self.ahead = ahead
    }
  }
}
