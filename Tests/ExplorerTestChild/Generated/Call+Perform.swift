import Dispatch
import Foundation

extension Call {
  /// Performs the call for a thread or a block.
  func perform(by caller: Int, in world: GeneratedWorld) {
    let seen = world.seen[caller]
    let all = world.all
    switch self {
    case .log(let letter): world.add(letter)
    case .tryLog(let letter):
      if world.lock.try() {
        world.log += letter
        world.lock.unlock()
      } else {
        seen.value += "n"
      }
    case .readLog: seen.value += world.readLog()
    case .append(let letter): world.onSerial += letter
    case .write(let letter): world.onConcurrent += letter
    case .readSerial: seen.value += world.onSerial
    case .readConcurrent: seen.value += world.onConcurrent
    case .async(let queue, let calls):
      world.queue(queue).async(group: all) { calls.perform(by: caller, in: world) }
    case .asyncBarrier(let calls):
      world.concurrent.async(group: all, flags: .barrier) { calls.perform(by: caller, in: world) }
    case .sync(let queue, let calls):
      world.queue(queue).sync { calls.perform(by: caller, in: world) }
    case .syncBarrier(let calls):
      world.concurrent.sync(flags: .barrier) { calls.perform(by: caller, in: world) }
    case .useSemaphore(let letter):
      world.semaphore.wait()
      world.guarded += letter
      world.semaphore.signal()
    case .trySemaphore:
      let got = world.semaphore.wait(timeout: .now()) == .success
      seen.value += got ? "y" : "n"
      if got { world.semaphore.signal() }
    case .openGate: world.gate.signal()
    case .passGate:
      world.gate.wait()
      seen.value += world.readLog()
    case .enterGroup(let calls):
      world.group.enter()
      DispatchQueue.global().async(group: all) {
        calls.perform(by: caller, in: world)
        world.group.leave()
      }
    case .waitForGroup:
      world.group.wait()
      seen.value += world.readLog()
    case .tryGroup: seen.value += world.group.wait(timeout: .now()) == .success ? "e" : "f"
    case .notifyGroup(let queue, let calls):
      all.enter()
      world.group.notify(queue: world.queue(queue)) {
        calls.perform(by: caller, in: world)
        all.leave()
      }
    case .runItem(let queue):
      all.enter()
      world.item.notify(queue: .global()) { all.leave() }
      world.queue(queue).async(execute: world.item)
    case .cancelItem: world.item.cancel()
    case .testItem: seen.value += world.item.isCancelled ? "c" : "o"
    case .waitForItem:
      world.item.wait()
      seen.value += world.readLog()
    case .notifyItem(let queue, let calls):
      all.enter()
      world.item.notify(queue: world.queue(queue)) {
        calls.perform(by: caller, in: world)
        all.leave()
      }
    case .raise(let toAll):
      world.condition.lock()
      world.raised += 1
      if toAll { world.condition.broadcast() } else { world.condition.signal() }
      world.condition.unlock()
    case .awaitRaised:
      world.condition.lock()
      while world.raised == 0 { world.condition.wait() }
      world.raised -= 1
      world.condition.unlock()
      seen.value += world.readLog()
    case .whileSuspended(let queue, let calls):
      world.queue(queue).suspend()
      calls.perform(by: caller, in: world)
      world.queue(queue).resume()
    case .activate: world.idle.activate()
    case .performTwice(let letter):
      DispatchQueue.concurrentPerform(iterations: 2) { world.add("\(letter)\($0)") }
    case .joinThread(let calls):
      pthread_join(startThread { calls.perform(by: caller, in: world) }, nil)
    case .sleep(let milliseconds, let letter):
      usleep(useconds_t(1000 * milliseconds))
      world.add(letter)
    case .after(let queue, let milliseconds, let calls):
      all.enter()
      world.queue(queue).asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
        calls.perform(by: caller, in: world)
        all.leave()
      }
    case .passGateInTime:
      let got = world.gate.wait(timeout: .now() + .milliseconds(1)) == .success
      seen.value += got ? "y" + world.readLog() : "n"
    case .awaitRaisedOnce:
      world.condition.lock()
      if world.raised == 0 { world.condition.wait() }
      seen.value += world.raised == 0 ? "w" : "r"
      if world.raised > 0 { world.raised -= 1 }
      world.condition.unlock()
      seen.value += world.readLog()
    case .add, .addAcrossAwait, .forward, .yield, .awaitTask, .cancelTask, .taskGroup, .asyncLet,
      .continuation, .stream, .cancelSleep, .cancelHandled, .reduceStream, .reduceGroup:
      preconditionFailure("only a task awaits")
    }
  }

  /// Performs the call for a task.
  func performInTask(by caller: Int, in world: GeneratedWorld) async {
    let seen = world.seen[caller]
    let counter = world.counter
    switch self {
    case .add(let letter): seen.value += await counter.add(letter)
    case .addAcrossAwait(let letter): await counter.addAcrossAwait(letter)
    case .forward(let letter): seen.value += await world.other.forward(letter, to: counter)
    case .yield: await Task.yield()
    case .sleep(let milliseconds, let letter):
      try? await Task.sleep(for: .milliseconds(milliseconds))
      world.add(letter)
    case .awaitTask(let letter): seen.value += await Task { await counter.add(letter) }.value
    case .cancelTask:
      let task = Task { Task.isCancelled }
      await Task.yield()
      task.cancel()
      seen.value += await task.value ? "c" : "o"
    case .taskGroup(let letter):
      await withTaskGroup(of: String.self) { group in
        for number in 0..<2 { group.addTask { await counter.add("\(letter)\(number)") } }
        for await text in group { seen.value += text }
      }
    case .asyncLet(let letter):
      async let value = counter.add(letter)
      _ = await counter.add("-")
      seen.value += await value
    case .continuation(let queue, let letter):
      seen.value += await withCheckedContinuation { continuation in
        world.queue(queue).async {
          world.add(letter)
          continuation.resume(returning: world.readLog())
        }
      }
    case .stream:
      let (stream, source) = AsyncStream.makeStream(of: String.self)
      for number in 0..<2 { Task { source.yield("\(number)") } }
      var received = 0
      for await text in stream {
        seen.value += text
        received += 1
        if received == 2 { source.finish() }
      }
    case .cancelSleep(let letter):
      let task = Task {
        do { try await Task.sleep(for: .milliseconds(1)) } catch { return "c" }
        world.add(letter)
        return "s"
      }
      await Task.yield()
      task.cancel()
      seen.value += await task.value
    case .cancelHandled(let letter):
      let task = Task {
        await withTaskCancellationHandler {
          world.add(letter)
          return Task.isCancelled
        } onCancel: {
          world.add("!")
        }
      }
      await Task.yield()
      task.cancel()
      seen.value += await task.value ? "c" : "o"
      world.add("-")
    case .reduceStream:
      let (stream, source) = AsyncStream.makeStream(
        of: String.self, bufferingPolicy: .bufferingNewest(1))
      Task {
        for number in 0..<2 { source.yield("\(number)") }
        source.finish()
      }
      seen.value += await stream.map { $0 + "," }.reduce("", +)
    case .reduceGroup(let letter):
      seen.value += await withTaskGroup(of: String.self) { group in
        for number in 0..<2 { group.addTask { "\(letter)\(number)" } }
        return await group.reduce("", +)
      }
    default: perform(by: caller, in: world)
    }
  }
}

extension [Call] {
  func perform(by caller: Int, in world: GeneratedWorld) {
    for call in self { call.perform(by: caller, in: world) }
  }
}
