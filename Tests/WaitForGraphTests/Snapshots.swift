import Interlock

@testable import Hangs

/// Short constructors for the parts of snapshots.
enum Snapshots {
  typealias Thread = WaitSnapshot.Thread
  typealias Wait = WaitSnapshot.Wait

  static let defaultPool: UInt = 0xd0
  static let overcommitPool: UInt = 0xd1
  static let mainQueue: UInt = 0xd2

  /// A frame of the user's code.
  static func line(_ line: Int, _ function: String = "get(_:)") -> [StackFrame] {
    [
      StackFrame(
        address: UInt(line), function: function, file: "/src/Cache.swift", line: line, image: "app")
    ]
  }

  /// The roots and the main queue, which every process has.
  static let roots = [
    WaitSnapshot.Queue(
      id: defaultPool, label: "com.apple.root.default-qos", width: 4094, isRoot: true),
    WaitSnapshot.Queue(
      id: overcommitPool, label: "com.apple.root.default-qos.overcommit", width: 4094,
      isRoot: true, isOvercommit: true),
    WaitSnapshot.Queue(id: mainQueue, label: "com.apple.main-thread", isMain: true),
  ]

  /// A serial queue.
  static func serial(
    _ id: UInt, _ label: String, target: UInt = overcommitPool,
    blocks: [WaitSnapshot.QueuedBlocks] = []
  ) -> WaitSnapshot.Queue {
    WaitSnapshot.Queue(
      id: id, label: label, width: 1, target: target,
      queued: blocks.reduce(0) { $0 + $1.count }, blocks: blocks)
  }

  /// A concurrent queue.
  static func concurrent(
    _ id: UInt, _ label: String, target: UInt = defaultPool, width: Int = 4094,
    blocks: [WaitSnapshot.QueuedBlocks] = []
  ) -> WaitSnapshot.Queue {
    WaitSnapshot.Queue(
      id: id, label: label, width: width, target: target,
      queued: blocks.reduce(0) { $0 + $1.count }, blocks: blocks)
  }

  /// A thread that waits.
  static func waiting(
    _ id: Int, _ kind: WaitSnapshot.ObjectKind, _ object: UInt, at line: Int = 10,
    isMain: Bool = false, barrier: Bool = false, held: [WaitSnapshot.Held] = [],
    runs: [WaitSnapshot.Run] = [], pool: UInt? = nil, limited: Bool = false, apply: Bool = false
  ) -> Thread {
    Thread(
      id: id, isMain: isMain,
      wait: Wait(
        kind: kind, object: object, place: self.line(line), hasTimeLimit: limited,
        isBarrier: barrier, isApply: apply),
      held: held, runs: runs, pool: pool)
  }

  /// A thread that holds objects and does not wait.
  static func other(
    _ id: Int, _ elsewhere: WaitSnapshot.Elsewhere, isMain: Bool = false,
    held: [WaitSnapshot.Held] = [], runs: [WaitSnapshot.Run] = [], pool: UInt? = nil
  ) -> Thread {
    Thread(id: id, isMain: isMain, elsewhere: elsewhere, held: held, runs: runs, pool: pool)
  }

  static func has(
    _ object: UInt, _ kind: WaitSnapshot.ObjectKind = .mutex, at line: Int = 5
  ) -> WaitSnapshot.Held {
    WaitSnapshot.Held(kind: kind, object: object, place: self.line(line, "take()"))
  }

  static func run(
    _ queue: UInt, at line: Int = 3, by: Int = 0, barrier: Bool = false, sync: Bool = false,
    apply: Bool = false, job: Bool = false
  ) -> WaitSnapshot.Run {
    WaitSnapshot.Run(
      queue: queue, place: self.line(line, "start()"), enqueuedBy: by, isBarrier: barrier,
      isSynchronous: sync, isApply: apply, isJob: job)
  }

  static func blocks(
    _ count: Int = 1, at line: Int = 3, by: [Int] = [], barrier: Bool = false, job: Bool = false,
    ahead: Int = 0
  ) -> WaitSnapshot.QueuedBlocks {
    WaitSnapshot.QueuedBlocks(
      count: count, place: self.line(line, "start()"), enqueuedBy: by, isBarrier: barrier,
      isJob: job, ahead: ahead)
  }

  /// A process with these threads and queues, besides the roots.
  static func process(
    _ threads: [Thread], _ queues: [WaitSnapshot.Queue] = [],
    signals: [WaitSnapshot.Signal] = []
  ) -> WaitSnapshot {
    WaitSnapshot(threads: threads, queues: roots + queues, signals: signals, processors: 2)
  }
}
