package import Interlock

extension WaitSnapshot {
  /// A Dispatch queue.
  package struct Queue: Sendable, Hashable, Codable {
    /// The address of the queue.
    package var id: ObjectID
    /// The queue's label; empty for none.
    package var label: String
    /// The number of blocks that may run at once: 1 for a serial queue, 0 if unknown.
    package var width: Int
    /// The target queue; `nil` for a root queue, or if unknown.
    package var target: ObjectID?
    /// True if only the main thread runs the queue's blocks.
    package var isMain: Bool
    /// True for a root queue: a pool of threads.
    package var isRoot: Bool
    /// True if the pool may start 255 threads at once; other pools start with one thread per
    /// processor.
    package var isOvercommit: Bool
    /// True if the queue is suspended: no queued block begins.
    package var isSuspended: Bool
    /// True if the queue's blocks are known to reach the pool in the order in which they were
    /// enqueued: the queue was never suspended or retargeted, and had no barrier.
    package var keepsOrder: Bool
    /// The number of blocks that have not begun.
    package var queued: Int
    /// The number of blocks that will be enqueued at a later time.
    package var delayed: Int
    /// The seconds until the first delayed block is enqueued; `nil` for none.
    package var nextDelayed: Double?
    /// The number of blocks that will be enqueued when a group becomes empty.
    package var onGroups: Int
    /// The first queued blocks. Neighbours from one place form one element.
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
    /// Where the blocks were enqueued.
    package var place: [StackFrame]
    /// The threads that enqueued the blocks, at most 256.
    package var enqueuedBy: [Int]
    /// True if the blocks are barriers.
    package var isBarrier: Bool
    /// True if the blocks are jobs of Swift Concurrency.
    package var isJob: Bool
    /// The number of blocks that threads of the same pool take before the first of these.
    package var ahead: Int
    /// The number of the blocks' code (`Run.code`), if a waiting thread runs a block with the same
    /// code; 0 otherwise.
    package var code: UInt64
    /// The blocks' `Run.sureWait`, if a waiting thread runs a block with the same number; 0
    /// otherwise.
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
