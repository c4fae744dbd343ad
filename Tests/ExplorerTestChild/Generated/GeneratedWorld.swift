import Dispatch
import Foundation

/// The state that the parties of one execution of a generated program share.
final class GeneratedWorld: @unchecked Sendable {
  // Unchecked: the comment above each variable names its protection.

  actor Counter {
    private var text = ""

    func add(_ letter: String) -> String {
      text += letter
      return text
    }
    /// Other tasks may use the actor between the read and the write.
    func addAcrossAwait(_ letter: String) async {
      let old = text
      await Task.yield()
      text = old + letter
    }
    func forward(_ letter: String, to counter: Counter) async -> String {
      text += letter
      let seen = await counter.add(letter)
      return text + seen
    }
  }

  let lock = NSLock()
  /// Protected by `lock`.
  var log = ""
  let serial = DispatchQueue(label: "serial")
  let inner: DispatchQueue
  /// Protected by the serial queue.
  var onSerial = ""
  let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
  /// A serial queue that targets the concurrent one.
  let narrow: DispatchQueue
  /// Protected by barriers of the concurrent queue.
  var onConcurrent = ""
  /// Made only if the program uses it: an inactive queue must not be released.
  private(set) lazy var idle = DispatchQueue(
    label: "idle", attributes: [.concurrent, .initiallyInactive])
  let semaphore = DispatchSemaphore(value: 1)
  /// Protected by the semaphore.
  var guarded = ""
  let gate = DispatchSemaphore(value: 0)
  let group = DispatchGroup()
  let all = DispatchGroup()
  let condition = NSCondition()
  /// Protected by the condition.
  var raised = 0
  let counter = Counter()
  let other = Counter()
  private(set) var item = DispatchWorkItem {}
  /// One value for each party; only that party uses it.
  let seen: [Shared<String>]

  init(parties: Int, usesIdle: Bool) {
    inner = DispatchQueue(label: "inner", target: serial)
    narrow = DispatchQueue(label: "narrow", target: concurrent)
    seen = (0..<parties).map { _ in Shared("") }
    if usesIdle { _ = idle }
    item = DispatchWorkItem { [unowned self] in add("I") }
  }

  func add(_ letter: String) { lock.withLock { log += letter } }
  func readLog() -> String { lock.withLock { log } }

  func queue(_ name: Call.Queue) -> DispatchQueue {
    switch name {
    case .global: .global()
    case .serial: serial
    case .inner: inner
    case .concurrent: concurrent
    case .narrow: narrow
    case .idle: idle
    }
  }
}

extension Call {
  var usesIdle: Bool {
    switch self {
    case .async(.idle, _), .activate: true
    default: false
    }
  }

  var usesActor: Bool {
    switch self {
    case .add, .addAcrossAwait, .forward, .awaitTask, .taskGroup, .asyncLet: true
    default: false
    }
  }
}

extension GeneratedProgram {
  /// Executes the program once, and returns its outcome. Calls `delay` before each call of a party,
  /// with the numbers of the party and of the call.
  func execute(_ delay: @escaping @Sendable (Int, Int) -> Void = { _, _ in }) -> String {
    let calls = parties.flatMap(\.calls)
    let usesIdle = calls.contains { $0.usesIdle }
    let world = GeneratedWorld(parties: parties.count, usesIdle: usesIdle)
    var threads: [pthread_t] = []
    for (number, party) in parties.enumerated() {
      let run: @Sendable () -> Void = {
        for (index, call) in party.calls.enumerated() {
          delay(number, index)
          call.perform(by: number, in: world)
        }
      }
      switch party.kind {
      case .thread: threads.append(startThread(run))
      case .block: DispatchQueue.global().async(group: world.all, execute: run)
      case .task:
        world.all.enter()
        Task {
          for (index, call) in party.calls.enumerated() {
            delay(number, index)
            await call.performInTask(by: number, in: world)
          }
          world.all.leave()
        }
      }
    }
    if usesIdle { world.idle.activate() }
    for thread in threads { pthread_join(thread, nil) }
    world.all.wait()
    let onActors = Shared("")
    if calls.contains(where: { $0.usesActor }) {
      runTask {
        let counted = await world.counter.add("")
        onActors.value = counted + "/" + (await world.other.add(""))
      }
    }
    return [
      world.onSerial, world.onConcurrent, world.guarded, world.log, onActors.value,
      world.seen.map(\.value).joined(separator: ","),
    ].joined(separator: "|")
  }
}
