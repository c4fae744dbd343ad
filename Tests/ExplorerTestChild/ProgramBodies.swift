import Dispatch
import Foundation

/// Small programs of random calls. The outcome is what each object has seen, so a search that loses
/// orders finds fewer outcomes than a search that tries all.
let programBodies = (0..<120).map { number in
  Body("program-\(number)") {
    var program = RandomProgram(seed: UInt64(number))
    program.run(withTasks: number % 3 == 2)
    return true
  }
}

private struct RandomProgram {
  private var state: UInt64

  init(seed: UInt64) { state = (seed + 1) &* 0x9e37_79b9_7f4a_7c15 }

  private mutating func next(_ bound: UInt64) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int((state >> 33) % bound)
  }

  /// The state that the calls share.
  final class World: @unchecked Sendable {
    // Unchecked: only the running logical thread accesses it.
    let serial = DispatchQueue(label: "serial")
    let inner: DispatchQueue
    let concurrent = concurrentQueue("concurrent")
    let semaphore = DispatchSemaphore(value: 1)
    let waited = DispatchGroup()
    let all = DispatchGroup()
    let lock = NSLock()
    let counter = Counter()
    let item: DispatchWorkItem
    var onSerial = ""
    var onConcurrent = 0
    var seen = [String](repeating: "", count: 3)

    init() {
      inner = DispatchQueue(label: "inner", target: serial)
      let ran = Shared(0)
      item = DispatchWorkItem { ran.value += 1 }
    }
  }

  actor Counter {
    var value = 0
    func add(_ amount: Int) -> Int {
      value = value * 2 + amount
      return value
    }
    func addAcrossAwait(_ amount: Int) async {
      let old = value
      await Task.yield()
      value = old * 2 + amount
    }
  }

  mutating func run(withTasks: Bool) {
    let world = World()
    for caller in 0..<2 {
      let calls = (0..<2).map { _ in next(withTasks ? 4 : 10) }
      world.all.enter()
      if withTasks {
        Task {
          for call in calls { await Self.perform(call, of: caller, in: world) }
          world.all.leave()
        }
      } else {
        DispatchQueue.global().async {
          for call in calls { Self.perform(call, of: caller, in: world) }
          world.all.leave()
        }
      }
    }
    world.all.wait()
    let actorValue = Shared(0)
    if withTasks { runTask { actorValue.value = await world.counter.value } }
    Outcomes.note("\(world.onSerial)|\(world.onConcurrent)|\(actorValue.value)|\(world.seen)")
  }

  private static func perform(_ call: Int, of caller: Int, in world: World) {
    switch call {
    case 0: world.serial.async(group: world.all) { world.onSerial += "\(caller)" }
    case 1: world.seen[caller] += world.serial.sync { world.onSerial } + ","
    case 2: world.inner.sync { world.onSerial += "i\(caller)" }
    case 3:
      world.concurrent.async(group: world.all, flags: .barrier) {
        world.onConcurrent = world.onConcurrent * 2 + caller + 1
      }
    case 4: world.seen[caller] += world.concurrent.sync { "\(world.onConcurrent)," }
    case 5:
      world.semaphore.wait()
      world.semaphore.signal()
    case 6:
      let got = world.semaphore.wait(timeout: .now()) == .success
      world.seen[caller] += got ? "y" : "n"
      if got { world.semaphore.signal() }
    case 7:
      world.waited.enter()
      DispatchQueue.global().async(group: world.all) { world.waited.leave() }
    case 8: world.seen[caller] += world.waited.wait(timeout: .now()) == .success ? "e" : "b"
    default:
      world.seen[caller] += world.item.isCancelled ? "c" : "o"
      world.item.cancel()
    }
  }

  private static func perform(_ call: Int, of caller: Int, in world: World) async {
    switch call {
    case 0: world.seen[caller] += "\(await world.counter.add(caller)),"
    case 1: await world.counter.addAcrossAwait(caller)
    case 2:
      let task = Task { Task.isCancelled }
      await Task.yield()
      task.cancel()
      world.seen[caller] += await task.value ? "c" : "o"
    default:
      async let value = world.counter.add(5)
      world.seen[caller] += "\(await value);"
    }
  }
}
