import CInterlockAnalysis
import CInterlockEvents
import Foundation
import Interlock
import ProcessInspection

// The queues, and the objects that wake threads.

extension SnapshotTaker {
  private static let mostQueues = 16_384
  /// The most blocks of one queue that are inspected.
  private static let mostBlocks = 4096
  /// The most places of blocks kept for one queue, and the most enqueuing threads for one place.
  private static let mostPlaces = 16
  private static let mostEnqueuers = 256
  private static let mostContinuations = 1024

  /// The queues with queued or delayed blocks, the queues that a thread is on or waits for, and the
  /// targets of both.
  func queues(
    for threads: [WaitSnapshot.Thread], reading codes: BlockCodes
  ) -> [WaitSnapshot.Queue] {
    let views = Self.queueViews()
    let byID = Dictionary(views.map { ($0.queue, $0) }, uniquingKeysWith: { $1 })
    var wanted: Set<UInt> = []
    for thread in threads {
      wanted.formUnion(thread.runs.map(\.queue))
      if let wait = thread.wait, wait.kind == .queue { wanted.insert(wait.object) }
      if let pool = thread.pool { wanted.insert(pool) }
    }
    wanted.formUnion(
      views.filter { $0.queued > 0 || $0.delayed > 0 || $0.on_group > 0 }.map(\.queue))
    let waiting = Self.codesOfWaiters(threads)
    let turns = QueueTurns()
    var found: [UInt: WaitSnapshot.Queue] = [:]
    var open = Array(wanted)
    while let id = open.popLast() {
      guard found[id] == nil else { continue }
      var view = byID[id] ?? interlock_queue_view()
      // The table does not have a root queue, or a target on which no block was enqueued directly.
      if byID[id] == nil { interlock_waits_describe_queue(id, &view) }
      let queue = queue(view, waiting: waiting, codes, turns)
      found[id] = queue
      if let target = queue.target { open.append(target) }
    }
    Self.placeHeldBack(in: &found)
    return found.values.sorted { $0.id < $1.id }
  }

  private static func queueViews() -> [interlock_queue_view] {
    let count = min(interlock_waits_queues(nil, 0) + 16, mostQueues)
    return [interlock_queue_view](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = min(interlock_waits_queues(buffer.baseAddress, count), count)
    }
  }

  /// The code numbers of the blocks that waiting threads run, for one enqueuing place.
  private struct Waiting {
    var codes: Set<UInt64> = []
    var sureWaits: Set<UInt64> = []
  }

  /// The blocks that waiting threads run, by the place that enqueued them.
  private static func codesOfWaiters(_ threads: [WaitSnapshot.Thread]) -> [UInt: Waiting] {
    var waiting: [UInt: Waiting] = [:]
    for thread in threads where thread.wait != nil {
      guard let run = thread.runs.first, run.code != 0, let place = run.place.first else {
        continue
      }
      waiting[place.address, default: Waiting()].codes.insert(run.code)
      guard run.sureWait != 0 else { continue }
      waiting[place.address, default: Waiting()].sureWaits.insert(run.sureWait)
    }
    return waiting
  }

  private func queue(
    _ view: interlock_queue_view, waiting: [UInt: Waiting], _ codes: BlockCodes,
    _ turns: QueueTurns
  ) -> WaitSnapshot.Queue {
    var queue = WaitSnapshot.Queue(
      id: view.queue,
      label: withUnsafeBytes(of: view.label) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      },
      width: Int(view.width), target: view.target == 0 ? nil : view.target,
      isMain: view.is_main, isRoot: view.is_root, isOvercommit: view.is_overcommit,
      isSuspended: view.suspended > 0, keepsOrder: view.keeps_order, queued: Int(view.queued),
      delayed: Int(view.delayed),
      onGroups: Int(view.on_group))
    if view.delayed > 0, view.next_delayed != .max {
      queue.nextDelayed = max(0, Double(view.next_delayed) / 1e9 - Platform.now)
    }
    if view.queued > 0 { queue.blocks = Self.blocks(of: view, waiting, codes, turns) }
    return queue
  }

  private static func blocks(
    of view: interlock_queue_view, _ waiting: [UInt: Waiting], _ codes: BlockCodes,
    _ turns: QueueTurns
  ) -> [WaitSnapshot.QueuedBlocks] {
    let items = [interlock_item_view](unsafeUninitializedCapacity: mostBlocks) {
      $1 = interlock_waits_items(view.queue, $0.baseAddress, mostBlocks)
    }
    var blocks: [WaitSnapshot.QueuedBlocks] = []
    for item in items {
      let flags = Int(item.flags)
      let isBarrier = flags & INTERLOCK_FLAG_BARRIER != 0
      let isJob = flags & INTERLOCK_FLAG_JOB != 0
      // Compare only with blocks that wait: more distinct codes would only split the list.
      var code: UInt64 = 0
      var sureWait: UInt64 = 0
      if let waiting = waiting[item.place] {
        code = codes.code(item.function, item.context, item.flags)
        if !waiting.codes.contains(code) { code = 0 }
        if !waiting.sureWaits.isEmpty {
          sureWait = codes.values(item.function, item.context, item.flags)
          if !waiting.sureWaits.contains(sureWait) { sureWait = 0 }
        }
      }
      if let last = blocks.indices.last, blocks[last].place.first?.address ?? 0 == item.place,
        blocks[last].isBarrier == isBarrier, blocks[last].isJob == isJob,
        blocks[last].code == code, blocks[last].sureWait == sureWait
      {
        blocks[last].count += 1
        if blocks[last].enqueuedBy.count < mostEnqueuers,
          !blocks[last].enqueuedBy.contains(Int(item.enqueued_by))
        {
          blocks[last].enqueuedBy.append(Int(item.enqueued_by))
        }
        continue
      }
      guard blocks.count < mostPlaces else { break }
      blocks.append(
        WaitSnapshot.QueuedBlocks(
          count: 1, place: frames(item.place), enqueuedBy: [Int(item.enqueued_by)],
          isBarrier: isBarrier, isJob: isJob,
          ahead: turns.count(before: item.turn, onRoot: interlock_waits_root(view.queue)),
          code: code, sureWait: sureWait))
    }
    return blocks
  }

  /// The objects that threads wait for, the continuations that were not resumed, and the locks
  /// whose initialisation was recorded.
  func signals(for threads: [WaitSnapshot.Thread]) -> [WaitSnapshot.Signal] {
    var found = Self.madeLocks(of: threads)
    for wait in threads.compactMap(\.wait) where found[wait.object] == nil {
      switch wait.kind {
      case .semaphore, .group, .condition:
        var view = interlock_object_view()
        let isKnown = interlock_waits_object(wait.object, &view)
        var signal =
          isKnown
          ? Self.signal(view, kind: wait.kind)
          : WaitSnapshot.Signal(id: wait.object, kind: wait.kind)
        let isNamed = wait.kind == .condition && Self.nameLock(&signal)
        if isKnown || isNamed { found[wait.object] = signal }
      default: continue
      }
    }
    for view in Self.continuations() {
      guard let kind = Self.kind(view.kind) else { continue }
      found[view.object] = Self.signal(view, kind: kind)
    }
    return found.values.sorted { $0.id < $1.id }
  }

  /// The tasks that wait for continuations and streams.
  static func continuations() -> [interlock_object_view] {
    [interlock_object_view](unsafeUninitializedCapacity: mostContinuations) {
      $1 = min(
        interlock_waits_continuations($0.baseAddress, mostContinuations), mostContinuations)
    }
  }

  static func signal(
    _ view: interlock_object_view, kind: WaitSnapshot.ObjectKind
  ) -> WaitSnapshot.Signal {
    var view = view
    let releases = withUnsafeBytes(of: &view.release_places) { Array($0.bindMemory(to: UInt.self)) }
    let enters = withUnsafeBytes(of: &view.enter_places) { Array($0.bindMemory(to: UInt.self)) }
    return WaitSnapshot.Signal(
      id: view.object, kind: kind,
      value: kind == .semaphore && view.created != 0 ? Int(view.value) : nil,
      created: frames(view.created) + callers(&view.created_callers),
      waits: Int(view.waits), releases: Int(view.releases), enters: Int(view.enters),
      releasePlaces: unique(releases), enterPlaces: unique(enters))
  }

  /// The callers of the function that created an object: the addresses before the first 0.
  static func callers<Addresses>(_ addresses: inout Addresses) -> [StackFrame] {
    withUnsafeBytes(of: &addresses) { bytes in
      bytes.bindMemory(to: UInt.self).prefix { $0 != 0 }.map { StackFrame(address: $0) }
    }
  }

  private static func unique(_ places: [UInt]) -> [StackFrame] {
    var seen: Set<UInt> = [0]
    return places.filter { seen.insert($0).inserted }.map { StackFrame(address: $0) }
  }
}
