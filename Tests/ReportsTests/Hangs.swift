import Interlock
import StressRunner
import Hangs

@testable import Reports

/// Results of trials whose children could not continue, and reported their wait-for graph.
enum Hangs {
  /// A frame of the user's code.
  static func frames(_ file: String, _ line: Int, _ function: String) -> [StackFrame] {
    [
      StackFrame(
        address: UInt(line), function: function, file: "/src/\(file)", line: line, image: "app")
    ]
  }

  /// Two threads that each hold a lock and wait for the lock of the other: certain.
  static let ring: WaitSnapshot = {
    func thread(_ id: Int, has: UInt, wants: UInt, line: Int) -> WaitSnapshot.Thread {
      let wait = frames("Bank.swift", line, "transfer(to:)")
      let lock = StackFrame(address: 1, function: "pthread_mutex_lock", image: "libc.so.6")
      return WaitSnapshot.Thread(
        id: id, name: "teller", wait: .init(kind: .mutex, object: wants, place: wait, seconds: 0.2),
        held: [
          .init(kind: .mutex, object: has, place: frames("Bank.swift", line - 1, "transfer(to:)"))
        ],
        stack: [lock] + wait)
    }
    return WaitSnapshot(
      threads: [
        thread(11, has: 0xA0, wants: 0xB0, line: 21), thread(12, has: 0xB0, wants: 0xA0, line: 31),
      ],
      activity: [
        .init(
          thread: 11,
          spans: [
            .init(from: 0.5, to: 0.24, kind: nil, object: 0),
            .init(from: 0.24, to: 0, kind: .mutex, object: 0xB0),
          ]),
        .init(
          thread: 12,
          spans: [
            .init(from: 0.5, to: 0.4, kind: .semaphore, object: 0xC0),
            .init(from: 0.4, to: 0.2, kind: nil, object: 0),
            .init(from: 0.2, to: 0, kind: .mutex, object: 0xA0),
          ]),
      ])
  }()

  /// Callers that wait for blocks behind them, on a pool that may still grow: not certain.
  static let dryPool = callers(queued: 996)

  /// Callers on a pool, each of which waits for a block behind the queued callers.
  static func callers(queued: Int) -> WaitSnapshot {
    let start = frames("Load.swift", 80, "start()")
    let workers = (10..<14).map { id in
      let wait = frames("Cache.swift", 61, "get(_:)")
      return WaitSnapshot.Thread(
        id: id,
        wait: .init(kind: .semaphore, object: UInt(0x1000 + id), place: wait, seconds: 2),
        runs: [.init(queue: 0x20, place: start, enqueuedBy: 1)], pool: 0xD0, stack: wait)
    }
    let queues = [
      WaitSnapshot.Queue(id: 0xD0, label: "com.apple.root.default-qos", width: 4094, isRoot: true),
      WaitSnapshot.Queue(
        id: 0x20, label: "requests", width: 4094, target: 0xD0, queued: queued,
        blocks: [.init(count: queued, place: start, enqueuedBy: [1])]),
      WaitSnapshot.Queue(
        id: 0x21, label: "cache", width: 4094, target: 0xD0, queued: 4,
        blocks: [
          .init(
            count: 4, place: frames("Cache.swift", 60, "get(_:)"), enqueuedBy: [10, 11, 12, 13],
            ahead: queued)
        ]),
    ]
    return WaitSnapshot(threads: workers, queues: queues, quietSeconds: 2)
  }

  /// A synchronous call on the queue that the thread is on, at which libdispatch traps.
  static let trap = WaitSnapshot(
    threads: [WaitSnapshot.Thread(id: 7, elsewhere: .running)],
    queues: [WaitSnapshot.Queue(id: 3, label: "cache")],
    selfWait: .init(
      thread: 7, object: 3, place: frames("Cache.swift", 61, "get(_:)"),
      firstPlace: frames("Cache.swift", 60, "get(_:)"), traps: true))

  /// A deadlock with its child's snapshot.
  static func result(
    _ waits: WaitSnapshot?, subject: String = "bank",
    _ change: (inout Observation) -> Void = { _ in }
  ) -> TrialResult {
    Samples.result(Samples.scenario("transfers", ["bank": .init(verdict: .deadlock)]), subject) {
      seen in
      seen.ending = .stalled
      seen.finished = false
      seen.completed = 0
      seen.operations = 2
      seen.seconds = 0.5
      seen.detectionSeconds = 0.2
      seen.waits = waits
      change(&seen)
    }
  }

  static let certain = result(ring)
  static let likely = result(dryPool)

  /// A text that does harm if a reader takes it for more than text.
  static let hostile = "</script><img src=x onerror='alert(1)'>\"&\u{1B}[2J\u{0}\u{202E}]]>--"

  /// The deadlock of `ring`, with a hostile text in every name that a subject can choose.
  static let hostileResult: TrialResult = {
    var waits = ring
    for index in waits.threads.indices {
      waits.threads[index].name = hostile
      let file = StackFrame(address: 1, function: hostile, file: hostile, line: 3, image: hostile)
      waits.threads[index].wait?.place = [file]
      waits.threads[index].stack = [file]
    }
    waits.threads[0].runs = [.init(queue: 0x20)]
    waits.queues = [
      .init(
        id: 0x20, label: hostile, width: 1, queued: 1,
        blocks: [.init(count: 1, place: frames(hostile, 7, hostile))])
    ]
    return result(waits) { $0.errorOutput = hostile }
  }()
}
