/// A call of a generated program. A letter identifies the call in the outcome.
indirect enum Call: Sendable {
  enum Queue: String, Sendable, CaseIterable {
    case global, serial, inner, concurrent, narrow, idle
  }

  // Calls that any party may make, on the log that the lock protects.
  case log(String)
  case tryLog(String)
  case readLog

  // Calls on Dispatch.
  case async(Queue, [Call])
  case asyncBarrier([Call])
  case sync(Queue, [Call])
  case syncBarrier([Call])
  /// `append`: on a serial queue only; `write`: in a barrier only; reads: in synchronous blocks.
  case append(String)
  case write(String)
  case readSerial
  case readConcurrent
  case useSemaphore(String)
  case trySemaphore
  case openGate
  case passGate
  case enterGroup([Call])
  case waitForGroup
  case tryGroup
  case notifyGroup(Queue, [Call])
  case runItem(Queue)
  case cancelItem
  case testItem
  case waitForItem
  case notifyItem(Queue, [Call])
  case raise(toAll: Bool)
  case awaitRaised
  case whileSuspended(Queue, [Call])
  case activate
  case performTwice(String)
  case joinThread([Call])

  // Time, and waits that may end without a signal.
  case sleep(milliseconds: Int, String)
  case after(Queue, milliseconds: Int, [Call])
  case passGateInTime
  case awaitRaisedOnce

  // Tasks.
  case add(String)
  case addAcrossAwait(String)
  case forward(String)
  case yield
  case awaitTask(String)
  case cancelTask
  case taskGroup(String)
  case asyncLet(String)
  case continuation(Queue, String)
  case stream

  // Cancellations of sleeps and of handlers, and waits within functions of the library.
  case cancelSleep(String)
  case cancelHandled(String)
  case reduceStream
  case reduceGroup(String)
}

/// A small program that is generated from a seed: parties that share queues, locks and an actor.
/// Its outcome is what each party has seen; it depends on the order. The program has no data race.
struct GeneratedProgram: Sendable {
  enum PartyKind: Sendable { case thread, block, task }
  struct Party: Sendable {
    var kind: PartyKind
    var calls: [Call]
  }

  let seed: UInt64
  /// From this seed on, programs sleep, set timers, and wait with limits or without a loop.
  static let firstWithTime: UInt64 = 100_000
  private var hasTime: Bool { seed >= Self.firstWithTime }
  /// From this seed on, programs cancel sleeps and handlers, and call functions on sequences.
  static let firstWithSequences: UInt64 = 200_000
  private var hasSequences: Bool { seed >= Self.firstWithSequences }
  private(set) var parties: [Party] = []
  private var random: UInt64
  private var letters = 0

  /// A small program has two parties with two calls and no task: plain search must finish it.
  init(seed: UInt64, isSmall: Bool = false) {
    self.seed = seed
    random = (seed &+ 1) &* 0x9e37_79b9_7f4a_7c15
    let count = isSmall ? 2 : [2, 2, 2, 3, 3, 4][next(6)]
    let most = isSmall ? 2 : [3, 2, 1][count - 2]
    var topics = (0..<3).map { _ in next(GeneratedProgram.topics) }
    if hasTime { topics[0] = GeneratedProgram.topics }
    if hasSequences { topics[1] = GeneratedProgram.topics + 1 }
    var needed: [Call] = []
    var hasItem = false
    for number in 0..<count {
      let kind: PartyKind =
        switch isSmall && !hasTime ? 0 : seed % 3 {
        case 0: [.thread, .block][next(2)]
        case 1: .task
        default: [.thread, .block, .task, .task][next(4)]
        }
      // The other parties wait for the first one, so that one waits for none.
      let calls = (0..<max(1, most - next(2))).map { _ in
        let topic = topics[next(topics.count)]
        return kind == .task
          ? taskCall(topic) : call(topic, mayWait: number > 0, &needed, &hasItem)
      }
      parties.append(Party(kind: kind, calls: calls))
    }
    if !needed.isEmpty {
      if parties[0].kind == .task { parties[0].kind = .thread }
      parties[0].calls = needed + [.log(letter())]
      if next(2) == 0 { parties[0].calls.reverse() }
    }
  }

  var callCount: Int { parties.reduce(0) { $0 + $1.calls.count } }

  /// The program without its `number`-th call. The rest may deadlock if that call ended a wait.
  /// then the rest may deadlock.
  func withoutCall(_ number: Int) -> GeneratedProgram {
    var shorter = self
    var left = number
    for (party, calls) in parties.map(\.calls).enumerated() {
      guard left < calls.count else {
        left -= calls.count
        continue
      }
      shorter.parties[party].calls.remove(at: left)
      break
    }
    return shorter
  }

  private mutating func next(_ bound: Int) -> Int {
    random ^= random << 13
    random ^= random >> 7
    random ^= random << 17
    return Int((random >> 33) % UInt64(bound))
  }

  private mutating func letter() -> String {
    letters += 1
    return String(UnicodeScalar(UInt8(96 + min(letters, 26))))
  }

  private static let topics = 13

  private mutating func queue(_ of: Call.Queue...) -> Call.Queue { of[next(of.count)] }

  /// The work of a block on a queue.
  private mutating func work(_ queue: Call.Queue) -> [Call] {
    let isSerial = queue == .serial || queue == .inner
    if !isSerial { return [.log(letter())] }
    return [[.append(letter())], [.append(letter()), .log(letter())]][next(2)]
  }

  private mutating func asyncCall(_ of: Call.Queue...) -> Call {
    let queue = of[next(of.count)]
    return .async(queue, work(queue))
  }

  private mutating func call(
    _ topic: Int, mayWait: Bool, _ needed: inout [Call], _ hasItem: inout Bool
  ) -> Call {
    switch (topic, next(4)) {
    case (Self.topics, 0):
      let queue = queue(.global, .serial)
      return .after(queue, milliseconds: 1 + next(2), work(queue))
    case (Self.topics, 1) where mayWait:
      needed.append(.openGate)
      return .passGateInTime
    case (Self.topics, 2) where mayWait:
      needed.append(.raise(toAll: next(2) == 0))
      return .awaitRaisedOnce
    case (Self.topics..., _): return .sleep(milliseconds: 1 + next(2), letter())
    case (0, 0): return .tryLog(letter())
    case (0, 1): return .readLog
    case (0, _): return .log(letter())
    case (1, 0), (1, 1): return asyncCall(.serial, .inner)
    case (1, 2): return .sync(queue(.serial, .inner), [.readSerial])
    case (1, _): return .sync(queue(.serial, .inner), [.append(letter()), .readSerial])
    case (2, 0): return .asyncBarrier([.write(letter())])
    case (2, 1): return .syncBarrier([.write(letter()), .readConcurrent])
    case (2, 2): return .sync(.concurrent, [.readConcurrent])
    case (2, _): return asyncCall(.concurrent)
    case (3, 0): return .trySemaphore
    case (3, _): return .useSemaphore(letter())
    case (4, 0) where mayWait, (4, 1) where mayWait:
      needed.append(.openGate)
      return .passGate
    case (4, _): return asyncCall(.global)
    case (5, 0): return .enterGroup([.log(letter())])
    case (5, 1): return .waitForGroup
    case (5, 2): return .tryGroup
    case (5, _):
      let queue = queue(.global, .serial)
      return .notifyGroup(queue, work(queue))
    case (6, _) where !hasItem:
      hasItem = true
      let queue = queue(.global, .serial)
      needed.append(.runItem(queue))
      let notified = self.queue(.global, .serial)
      return mayWait && next(2) == 0 ? .waitForItem : .notifyItem(notified, work(notified))
    case (6, 0): return .testItem
    case (6, _): return .cancelItem
    case (7, 0) where mayWait, (7, 1) where mayWait, (7, 2) where mayWait:
      needed.append(.raise(toAll: next(2) == 0))
      return .awaitRaised
    case (7, _): return .raise(toAll: false)
    case (8, 0), (8, 1):
      let queue = queue(.serial, .inner, .concurrent)
      return .whileSuspended(queue, [.log(letter())])
    case (8, _): return asyncCall(.serial, .inner, .concurrent)
    case (9, 0): return .activate
    case (9, _): return .async(.idle, [.log(letter())])
    case (10, 0): return .performTwice(letter())
    case (10, _): return .joinThread([.log(letter())])
    case (11, 0): return .sync(.narrow, [.log(letter())])
    case (11, 1): return .asyncBarrier([.log(letter())])
    case (11, _): return asyncCall(.narrow, .concurrent)
    default: return asyncCall(.global, .serial)
    }
  }

  private mutating func taskCall(_ topic: Int) -> Call {
    switch (topic, next(3)) {
    case (Self.topics, 0): return .after(.serial, milliseconds: 1 + next(2), work(.serial))
    case (Self.topics, _): return .sleep(milliseconds: 1 + next(2), letter())
    case (Self.topics + 1, 0): return [.cancelSleep(letter()), .reduceStream][next(2)]
    case (Self.topics + 1, 1): return .cancelHandled(letter())
    case (Self.topics + 1, _): return [.reduceStream, .reduceGroup(letter())][next(2)]
    case (0, _): return .log(letter())
    case (1, 0), (8, 0): return asyncCall(.serial, .inner)
    case (2, _), (3, _): return .addAcrossAwait(letter())
    case (4, 0): return .yield
    case (4, _): return .awaitTask(letter())
    case (5, _): return .cancelTask
    case (6, 0): return .taskGroup(letter())
    case (6, _): return .asyncLet(letter())
    case (7, _): return .continuation(queue(.global, .serial), letter())
    case (9, 0): return .stream
    case (10, _): return .forward(letter())
    case (11, 0): return .asyncBarrier([.write(letter())])
    default: return .add(letter())
    }
  }
}
