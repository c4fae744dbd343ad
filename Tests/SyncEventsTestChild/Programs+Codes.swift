import CInterlockAnalysis
import Dispatch
import Foundation

extension Programs {
  /// The queued blocks that count as the same code, if memory reused by malloc still has addresses
  /// of code.
  static let codes: [String: Program] = [
    "codes": { _ in
      _ = interlock_waits_start()
      let rows = codeForms.map { name, enqueue in "\(name)=\(distinctCodes(enqueue))" }
      print(rows.joined(separator: " "))
    },
    "readers-300-reused": { arguments in
      start(arguments)
      leaveCodeInFreedMemory()
      readersBehindBarrier(300)
    },
  ]

  private typealias Enqueue = @Sendable (DispatchQueue) -> Void
  private static let blockCount = 200

  private static let codeForms: [(String, Enqueue)] = [
    (
      "one",
      { queue in
        let start = DispatchGroup()
        let table = DispatchQueue(label: "codes.table")
        for _ in 0..<blockCount { waitAndCall(start, table, on: queue) }
      }
    ),
    (
      "one-closure", { queue in for _ in 0..<blockCount { capture({ _ = getpid() }, on: queue) } }
    ),
    (
      "two-closures",
      { queue in
        for number in 0..<blockCount {
          if number % 2 == 0 {
            capture({ _ = getpid() }, on: queue)
          } else {
            capture({ _ = getppid() }, on: queue)
          }
        }
      }
    ),
    (
      "two-generics",
      { queue in
        for number in 0..<blockCount {
          if number % 2 == 0 {
            capture(number, { _ = $0 &+ Int(getpid()) }, on: queue)
          } else {
            capture(number, { _ = $0 &+ Int(getppid()) }, on: queue)
          }
        }
      }
    ),
    (
      "one-instance",
      { queue in for _ in 0..<blockCount { capture(Work { _ = getpid() }, on: queue) } }
    ),
    (
      "two-instances",
      { queue in
        for number in 0..<blockCount {
          capture(number % 2 == 0 ? Work { _ = getpid() } : Work { _ = getppid() }, on: queue)
        }
      }
    ),
    (
      "one-flag",
      { queue in
        let group = DispatchGroup()
        for _ in 0..<blockCount { capture(false, group, { _ = getpid() }, on: queue) }
      }
    ),
    (
      "two-flags",
      { queue in
        let group = DispatchGroup()
        for number in 0..<blockCount {
          if number % 2 == 0 {
            capture(false, group, { _ = getpid() }, on: queue)
          } else {
            capture(false, group, { _ = getppid() }, on: queue)
          }
        }
      }
    ),
    (
      "two-lists",
      { queue in
        for number in 0..<blockCount {
          capture(number % 2 == 0 ? [{ _ = getpid() }] : [{ _ = getppid() }], on: queue)
        }
      }
    ),
  ]

  /// Too large by two words for the memory of a freed context.
  private final class Work: Sendable {
    let body: @Sendable () -> Void
    let first = 1
    let second = 2
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  @inline(never)
  private static func waitAndCall(
    _ start: DispatchGroup, _ table: DispatchQueue, on queue: DispatchQueue
  ) {
    queue.async {
      start.wait()
      table.sync {}
    }
  }

  @inline(never)
  private static func capture(_ body: @escaping @Sendable () -> Void, on queue: DispatchQueue) {
    queue.async { body() }
  }

  @inline(never)
  private static func capture<Value: Sendable>(
    _ value: Value, _ body: @escaping @Sendable (Value) -> Void, on queue: DispatchQueue
  ) {
    queue.async { body(value) }
  }

  /// The context has padding behind the first value.
  @inline(never)
  private static func capture(
    _ isOn: Bool, _ group: DispatchGroup, _ body: @escaping @Sendable () -> Void,
    on queue: DispatchQueue
  ) {
    queue.async {
      if isOn { group.wait() }
      body()
    }
  }

  @inline(never)
  private static func capture(_ work: Work, on queue: DispatchQueue) {
    queue.async { work.body() }
  }

  @inline(never)
  private static func capture(_ bodies: [@convention(c) () -> Void], on queue: DispatchQueue) {
    queue.async { bodies[0]() }
  }

  /// Enqueues blocks behind a waiting block. Returns 1 if all have one code, 2 if they have more, 0
  /// if one has none, -1 if they are not found, and -2 if the reader's memory changes a code.
  private static func distinctCodes(_ enqueue: Enqueue) -> Int {
    let queue = DispatchQueue(label: "codes")
    let hasBegun = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    queue.async {
      hasBegun.signal()
      mayEnd.wait()
    }
    hasBegun.wait()
    leaveCodeInFreedMemory()
    enqueue(queue)
    var views = [interlock_queue_view](repeating: interlock_queue_view(), count: 64)
    let found = min(interlock_waits_queues(&views, views.count), views.count)
    guard let view = views.prefix(found).first(where: { $0.queued == UInt64(blockCount) }) else {
      return -1
    }
    var items = [interlock_item_view](repeating: interlock_item_view(), count: blockCount)
    _ = interlock_waits_items(view.queue, &items, blockCount)
    let reader = interlock_code_reader_make()
    // The words behind a generic closure's context may point to freed memory, which an allocation
    // may change. This thread allocates nothing between its readings; the queue's thread may.
    var readings = (0..<3).map { _ in [UInt64](repeating: 0, count: blockCount) }
    for reading in readings.indices {
      let remembers = reading == 1 ? reader : nil
      for (number, item) in items.enumerated() {
        readings[reading][number] = interlock_waits_code(
          remembers, item.function, item.context, item.flags)
      }
    }
    interlock_code_reader_free(reader)
    mayEnd.signal()
    queue.sync {}
    if readings[0] == readings[2], readings[1] != readings[0] { return -2 }
    let codes = Set(readings[1])
    // A generic context's size is not always known. One code may then look like several, but
    // several never look like one.
    return codes.contains(0) ? 0 : min(codes.count, 2)
  }

  /// Fills memory of the sizes of contexts and small instances alternately with addresses of code
  /// and with zeros, and frees it: malloc gives it to the next objects.
  private static func leaveCodeInFreedMemory() {
    let function: @convention(c) () -> Void = {}
    let code = unsafeBitCast(function, to: UInt.self)
    for words in [4, 6, 8] {
      let all = (0..<800).map { number in
        let bytes = words * MemoryLayout<UInt>.size
        guard let room = malloc(bytes) else { fatalError("no memory") }
        // malloc's block has one more word.
        let filled = room.bindMemory(to: UInt.self, capacity: words + 1)
        filled.update(repeating: number % 2 == 0 ? code : 0, count: words + 1)
        return room
      }
      for room in all { free(room) }
    }
  }
}
